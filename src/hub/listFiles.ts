/** The files of a repository, from the hub's tree API: page by page, each entry checked. */
import { HubError } from "./HubError.ts";
import { fields, type HubFile, readHubFile } from "./HubFile.ts";
import type { HubOptions } from "./HubOptions.ts";
import { type HubAnswer, hubRequest } from "./hubRequest.ts";
import { type ModelName, repoOf } from "./ModelName.ts";
import { retrying } from "./retrying.ts";

const REVISION = "main";
/** The hub gives 1,000 entries a page. */
const PAGES_MAX = 100;
const PAGE_BYTES_MAX = 16 * 1024 * 1024;

/** Throws HubError. `note` is told of waits. */
export async function listFiles(
  options: HubOptions,
  name: ModelName,
  note: (text: string) => void,
): Promise<readonly HubFile[]> {
  const files: HubFile[] = [];
  let unusable: string | undefined;
  let url: string | null = `${options.endpoint}/api/models/${repoOf(name)}/tree/${REVISION}?recursive=true`;
  for (let page = 0; url !== null; page += 1) {
    if (page === PAGES_MAX) throw new HubError("not-a-hub", `${repoOf(name)} has too many files to list.`);
    const at: string = url;
    const { entries, next } = await retrying(options, () => onePage(options, at, repoOf(name)), note);
    for (const entry of entries) {
      const file = readHubFile(entry);
      if (file !== undefined) files.push(file);
      else unusable ??= modelPathOf(entry);
    }
    url = next;
  }
  if (unusable !== undefined && !files.some(({ path }) => isModelPath(path))) {
    throw new HubError(
      "not-a-hub",
      `${new URL(options.endpoint).host} lists ${JSON.stringify(unusable)} of ${repoOf(name)} without a size and hash to check it by, or at no path of the repository; check HF_ENDPOINT.`,
    );
  }
  return files;
}

function modelPathOf(entry: unknown): string | undefined {
  const { path } = fields(entry);
  return typeof path === "string" && isModelPath(path) ? path.slice(0, 200) : undefined;
}

function isModelPath(path: string): boolean {
  return /\.gguf$/i.test(path);
}

/** Where the bytes of a file are asked for; the hub redirects from there. */
export function fileUrl(options: HubOptions, name: ModelName, file: HubFile): string {
  const path = file.path.split("/").map(encodeURIComponent).join("/");
  return `${options.endpoint}/${repoOf(name)}/resolve/${REVISION}/${path}`;
}

async function onePage(
  options: HubOptions,
  url: string,
  repo: string,
): Promise<{ readonly entries: readonly unknown[]; readonly next: string | null }> {
  const answer = await hubRequest(options, url, { accept: "application/json" }, repo);
  const entries = parsed(await textOf(answer));
  if (!Array.isArray(entries)) {
    const said = fields(entries)["error"];
    const words = typeof said === "string" ? `: ${said}` : "";
    throw new HubError(
      "not-a-hub",
      `${new URL(options.endpoint).host} gives no list of files for ${repo}${words}; check HF_ENDPOINT.`,
    );
  }
  return { entries, next: nextPage(answer.response.headers.get("link"), url) };
}

async function textOf({ body }: HubAnswer): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of body()) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > PAGE_BYTES_MAX)
      throw new HubError("not-a-hub", "The hub's list of files does not end.");
  }
  return text + decoder.decode();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of `<…>; rel="next"`. It may be relative. */
function nextPage(link: string | null, url: string): string | null {
  for (const [, target, rel] of (link ?? "").matchAll(/<([^>]+)>\s*;[^,]*?\brel="?(\w+)"?/g)) {
    if (rel === "next" && target !== undefined) return URL.parse(target, url)?.href ?? null;
  }
  return null;
}
