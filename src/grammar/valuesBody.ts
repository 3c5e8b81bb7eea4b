/** Single values, of an enum or a constant, as a spelling writes them. */
import type { Json } from "../json/json.ts";
import { isJsonArray, isJsonNumber, isJsonObject } from "../json/kinds.ts";
import { compareDecimals, readDecimal } from "./Decimal.ts";
import { type Gbnf, literal } from "./Gbnf.ts";
import type { Spelling } from "./Spelling.ts";
import { textsBody } from "./textsRule.ts";

/** Null where there are none. */
export function valuesBody(
  gbnf: Gbnf,
  values: readonly Json[],
  hint: string,
  spelling: Spelling,
): string | null {
  const ways: string[] = [];
  const texts = values.filter((value) => typeof value === "string");
  const isPlain = (value: Json) => typeof value !== "string" && !isJsonArray(value) && !isJsonObject(value);
  const scalars = spelling.quotes.length === 0 ? [] : values.filter(isPlain);
  if (texts.length > 0) ways.push(...textWays(gbnf, texts, hint, spelling));
  if (scalars.length > 0) {
    const written = scalars.flatMap((value) => [...scalarTexts(value, spelling)]);
    ways.push(textsBody(gbnf, hint, written));
  }
  for (const value of values) {
    if (isJsonArray(value) || isJsonObject(value)) ways.push(composite(gbnf, value, hint, spelling));
  }
  return ways.length === 0 ? null : ways.join(" | ");
}

/** `null` or a boolean. */
export function wordsBody(gbnf: Gbnf, type: "null" | "boolean", { name, words }: Spelling): string {
  const all = type === "null" ? words.null : [...words.true, ...words.false];
  return gbnf.once(`${name} ${type}`, () => gbnf.rule(type, all.map(literal).join(" | ")));
}

function textWays(gbnf: Gbnf, texts: readonly string[], hint: string, spelling: Spelling): string[] {
  return spelling.quotes.map(({ open, close, write }) => {
    const inner = textsBody(gbnf, hint, texts.flatMap(write));
    return `${open} (${inner}) ${close}`.trim();
  });
}

function* scalarTexts(value: Json, { words }: Spelling): Generator<string> {
  if (value === null) yield* words.null;
  else if (value === true) yield* words.true;
  else if (value === false) yield* words.false;
  else if (isJsonNumber(value)) {
    yield value.raw;
    // As JavaScript would write it, where that is the same number.
    const plain = JSON.stringify(Number(value.raw));
    const [one, two] = [readDecimal(value.raw), readDecimal(plain)];
    if (one !== null && two !== null && compareDecimals(one, two) === 0) yield plain;
  }
}

function composite(gbnf: Gbnf, value: Json, hint: string, spelling: Spelling): string {
  const one = (item: Json): string =>
    gbnf.rule(`s-${hint}-value`, valuesBody(gbnf, [item], hint, spelling) ?? '""');
  if (isJsonArray(value)) {
    const { open, close, comma } = spelling.array(gbnf);
    return [open, value.map((item) => spelling.item(one(item))).join(` ${comma} `), close].join(" ").trim();
  }
  if (!isJsonObject(value)) return one(value);
  const { open, close, comma } = spelling.object(gbnf);
  const pairs = [...value].flatMap(([key, item]) => {
    const inner = (own: Spelling, kind: string) => {
      if (kind !== "any" && (kind === "text") !== (typeof item === "string")) return null;
      return gbnf.rule(`s-${hint}-value`, valuesBody(gbnf, [item], hint, own) ?? '""');
    };
    return spelling.pair(gbnf, key, inner) ?? [];
  });
  return [open, pairs.join(` ${comma} `), close].join(" ").trim();
}
