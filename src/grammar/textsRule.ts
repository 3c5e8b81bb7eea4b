/** Many texts as one rule: what they begin with is written once, and so is what they end with alike. */
import { charSet, codeOf } from "./CharSet.ts";
import { charClass, type Gbnf, literal } from "./Gbnf.ts";
import { spend } from "./Work.ts";

/** A body that matches exactly these, of which there is one at least. */
export function textsBody(gbnf: Gbnf, hint: string, texts: readonly string[]): string {
  spend(texts.reduce((sum, text) => sum + text.length + 1, 0));
  const sorted = [...new Set(texts)].sort();
  return branch(gbnf, hint, sorted, 0, sorted.length, 0);
}

/** Texts `from` to `to` of a sorted list, which share their first `depth` units. */
function branch(
  gbnf: Gbnf,
  hint: string,
  texts: readonly string[],
  from: number,
  to: number,
  depth: number,
): string {
  /** Single letters by what follows them. */
  const letters = new Map<string, string[]>();
  const ways: string[] = [];
  let at = from;
  if (texts[at]?.length === depth) {
    ways.push('""');
    at += 1;
  }
  while (at < to) {
    const first = texts[at] ?? "";
    const char = charAt(first, depth);
    let end = at + 1;
    while (end < to && charAt(texts[end] ?? "", depth) === char) end += 1;
    const length = end - at === 1 ? first.length : sharedLength(first, texts[end - 1] ?? "", depth);
    const piece = first.slice(depth, length);
    const rest = end - at === 1 ? "" : gbnf.rule(`s-${hint}-way`, branch(gbnf, hint, texts, at, end, length));
    if (piece === char) letters.set(rest, [...(letters.get(rest) ?? []), char]);
    else ways.push(`${literal(piece)} ${rest}`.trim());
    at = end;
  }
  for (const [rest, chars] of letters) {
    const [only = ""] = chars;
    const set = charSet(chars.map((char) => [codeOf(char), codeOf(char)] as const));
    ways.push(`${chars.length === 1 ? literal(only) : charClass(set)} ${rest}`.trim());
  }
  return ways.join(" | ");
}

function charAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

/** Units that both begin with, no character cut. The list is sorted, so all between share them, too. */
function sharedLength(a: string, b: string, from: number): number {
  let length = from;
  while (length < a.length && charAt(a, length) === charAt(b, length)) length += charAt(a, length).length;
  return length;
}
