/**
 * The grammar of a reply that may not call although its prompt shows tools: any text in which no call begins, in
 * reasoning or behind it. A dialect without a mark of its own (a bare JSON object) has no beginning to forbid: what
 * the model writes there stays text, as everything does where no tools are given to the parser.
 */
import type { CallFormat } from "../chat/CallFormat.ts";
import type { ReplyFormat } from "../chat/formats/ReplyFormat.ts";
import { singular, wordsOf } from "../chat/formats/ReplySource.ts";
import type { Tool } from "../chat/Message.ts";
import { noneOf } from "../grammar/Dfa.ts";
import { dfaRule, Gbnf, RAW } from "../grammar/Gbnf.ts";
import { patternDfa } from "../grammar/patternDfa.ts";
import { callMark } from "./callGrammar.ts";

/** Null where nothing tells a call from text. */
export function noCallsGrammar(format: ReplyFormat, tools: readonly Tool[]): string | null {
  const openings = openingsOf(format, tools);
  if (openings.length === 0) return null;
  const gbnf = new Gbnf();
  gbnf.define("root", "");
  gbnf.define("root", dfaRule(gbnf, "free", noneOf(patternDfa(openings.join("|"))), RAW));
  return gbnf.text();
}

/** Patterns of what a call begins with. */
function openingsOf({ calls, channels }: ReplyFormat, tools: readonly Tool[]): readonly string[] {
  if (calls === null) return [];
  const names = `(${tools.map(({ name }) => escaped(name)).join("|")})`;
  switch (channels) {
    case "harmony":
      return [" to=functions\\."];
    case "recipients":
      return [` to=${names}`];
    case "all":
      // The prompt ends in the first one's `>>>`.
      return [`^${names}\\n`, `>>>${names}\\n`];
    default:
      return calls.bare ? [] : [...new Set(marksOf(calls))].map(escaped);
  }
}

/** The parser takes any tag of the opening for the first one: all of them are forbidden. */
function marksOf(calls: CallFormat): readonly string[] {
  const mark = callMark(calls, false);
  const own = mark === null ? [] : [withoutBracket(mark)];
  if (calls.shape === "json") return own;
  const name = calls.parts.findIndex((part) => typeof part !== "string" && part.slot === "name");
  const before = calls.parts.slice(0, name).filter((part) => typeof part === "string");
  const tags = wordsOf([calls.sectionStart, ...before].join(" ")).filter(isTag);
  return [...own, ...tags, ...tags.map(singular)];
}

/** A list's bracket may stand apart from the mark. */
function withoutBracket(mark: string): string {
  const alone = mark.replace(/\s*\[$/, "");
  return isTag(alone) ? alone : mark;
}

/** Anything shorter is too likely in text. */
const isTag = (word: string): boolean => word.length >= 6 && /^[<[\]]/.test(word);

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&").replaceAll("\n", "\\n");
}
