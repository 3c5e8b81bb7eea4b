/** A model's name on the hub: `hf:owner/repo[:quant]`, where quant may also be a file of the repository. */
import { HubError } from "./HubError.ts";

export interface ModelName {
  readonly owner: string;
  readonly repo: string;
  /** As typed, e.g. `q4_k_m` or `sub/model.gguf`; null for the one that is taken by default. */
  readonly quant: string | null;
}

const PREFIX = /^(hf:(\/\/)?|(https?:\/\/)?(huggingface\.co|hf\.co)\/)/i;
/** The hub's rule for both parts; nothing of it can leave a folder. */
const PART = /^(?![.-])[A-Za-z0-9._-]{1,96}(?<![.-])$/;
const QUANT_CHARS_MAX = 256;

/** True for `hf:…` and `https://huggingface.co/…`, which no file is called. */
export function isModelName(text: string): boolean {
  return PREFIX.test(text);
}

/** With or without `hf:`. Throws HubError("bad-name"). */
export function parseModelName(text: string): ModelName {
  const bare = text.replace(PREFIX, "");
  const at = bare.indexOf(":");
  const [owner, repo, ...more] = (at < 0 ? bare : bare.slice(0, at)).replace(/\/+$/, "").split("/");
  const quant = at < 0 ? null : bare.slice(at + 1);
  const good = [owner, repo].every((part) => part !== undefined && PART.test(part) && !part.includes(".."));
  if (owner === undefined || repo === undefined || !good || more.length > 0) throw badName(text);
  if (quant === "" || (quant?.length ?? 0) > QUANT_CHARS_MAX) throw badName(text);
  return { owner, repo, quant };
}

/** `owner/repo`. */
export function repoOf(name: ModelName): string {
  return `${name.owner}/${name.repo}`;
}

/** As it is typed behind `-m`. */
export function writeModelName(name: ModelName): string {
  return `hf:${repoOf(name)}${name.quant === null ? "" : `:${name.quant}`}`;
}

function badName(text: string): HubError {
  return new HubError(
    "bad-name",
    `"${text}" is no model's name: it is written hf:owner/repo or hf:owner/repo:quant, e.g. hf:owner/model-GGUF:Q4_K_M.`,
  );
}
