/**
 * A prompt that is filled in the middle, put together as llama-server does: other files first, with the tokens
 * for repositories and files where the model has them, then what stands before the place and what behind it.
 * The reply is expected to become part of what stands before it.
 */

import { AppError } from "../../base/AppError.ts";
import { arrayAt, invalid, kindOf, objectAt } from "../../chat/fields.ts";
import type { Json } from "../../json/json.ts";
import type { RawPart, RawPrompt } from "../../prompt/RawPrompt.ts";
import type { FimTokens } from "../../run/TextVocab.ts";
import type { RequestFields } from "../shared/RequestFields.ts";

export interface Infill {
  readonly prefix: string;
  readonly suffix: string;
  /** Goes on from the prefix; spellings of special tokens in it are those tokens. */
  readonly prompt: string;
  readonly extra: readonly ExtraFile[];
}

export interface ExtraFile {
  readonly filename: string;
  readonly text: string;
}

/** The three that nothing can be filled in without. Throws AppError("not-supported") in llama-server's words. */
export function checkFim({ prefix, suffix, middle }: FimTokens): void {
  const names = { prefix, suffix, middle };
  const missing = Object.entries(names).filter(([, token]) => token < 0);
  if (missing.length === 0) return;
  const words = missing.map(([name]) => `${name} token is missing.`).join(" ");
  throw new AppError("not-supported", `Infill is not supported by this model: ${words}`);
}

export function readInfill(fields: RequestFields, extraFilesMax: number): Infill {
  const text = (name: string): string => {
    const value = fields.text(name);
    if (value === undefined) throw invalid(name, "is missing; it must be a string.");
    return value;
  };
  const extra = arrayAt(fields.get("input_extra") ?? [], "input_extra");
  if (extra.length > extraFilesMax) {
    throw invalid("input_extra", `holds ${extra.length} files; at most ${extraFilesMax} are allowed.`);
  }
  return {
    prefix: text("input_prefix"),
    suffix: text("input_suffix"),
    prompt: fields.text("prompt") ?? "",
    extra: extra.map((item, index) => extraFile(item, `input_extra[${index}]`)),
  };
}

function extraFile(value: Json, field: string): ExtraFile {
  const file = objectAt(value, field);
  const text = file.get("text");
  const filename = file.get("filename") ?? "tmp";
  if (typeof text !== "string") throw invalid(`${field}.text`, `must be a string, not ${kindOf(text)}.`);
  if (typeof filename !== "string") {
    throw invalid(`${field}.filename`, `must be a string, not ${kindOf(filename)}.`);
  }
  return { filename, text };
}

/** `bos`: null where the model wants none. */
export function infillPrompt(infill: Infill, fim: FimTokens, bos: number | null): RawPrompt {
  const parts: RawPart[] = [...extraParts(infill.extra, fim)];
  if (bos !== null) parts.push(token(bos));
  parts.push(token(fim.prefix), plain(infill.prefix));
  if (infill.prompt !== "") parts.push({ text: infill.prompt, special: true });
  const grows = parts.length - 1;
  parts.push(token(fim.suffix), plain(infill.suffix), token(fim.middle));
  return { parts, bos: false, grows };
}

/** llama-server's words, which models were trained with. */
function extraParts(extra: readonly ExtraFile[], { repo, separator }: FimTokens): readonly RawPart[] {
  const repository = repo < 0 ? [] : [token(repo), plain("myproject\n")];
  const files = extra.flatMap(({ filename, text }) =>
    separator < 0
      ? [plain("\n\n--- snippet ---\n\n"), plain(text)]
      : [token(separator), plain(`${filename}\n`), plain(text)],
  );
  const current = separator < 0 ? [] : [token(separator), plain("filename\n")];
  return [...repository, ...files, ...current];
}

function token(id: number): RawPart {
  return { tokens: [id] };
}

function plain(text: string): RawPart {
  return { text, special: false };
}

/**
 * The prompt with as many of the other files as fit, the last ones first: a file is there whole or not at all.
 * `fits` is asked few times; where even none fits, the prompt is without them, and too long.
 */
export function fittingInfill(
  infill: Infill,
  make: (infill: Infill) => RawPrompt,
  fits: (prompt: RawPrompt) => boolean,
): RawPrompt {
  const without = (dropped: number): RawPrompt => make({ ...infill, extra: infill.extra.slice(dropped) });
  let low = 0;
  let high = infill.extra.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(without(middle))) high = middle;
    else low = middle + 1;
  }
  return without(low);
}
