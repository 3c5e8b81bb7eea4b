/**
 * The grammar of a reply: calls that are demanded, calls that are held once they have begun, calls that must not
 * begin, an answer that has to be JSON. Reasoning comes first wherever the model reasons.
 */
import { LRUCache } from "lru-cache";
import { AppError } from "../base/AppError.ts";
import type { ContinuedPart } from "../chat/continuation.ts";
import { type ReplyFormat, USUAL_FORMAT } from "../chat/formats/ReplyFormat.ts";
import type { TextSchema, Turn } from "../chat/Message.ts";
import { compileSchema } from "../grammar/compileSchema.ts";
import { both, noneOf, until } from "../grammar/Dfa.ts";
import { dfaRule, Gbnf, literal, RAW } from "../grammar/Gbnf.ts";
import { patternDfa } from "../grammar/patternDfa.ts";
import { SchemaError } from "../grammar/SchemaError.ts";
import { writeJson } from "../json/writeJson.ts";
import type { GrammarTrigger, Sampling } from "../run/RunSpec.ts";
import { callableTools } from "./callableTools.ts";
import { callMark, callsBody } from "./callGrammar.ts";
import { noCallsGrammar } from "./noCalls.ts";

export interface ReplyGrammarOptions {
  readonly format?: ReplyFormat;
  /** The prompt's end has opened the reasoning: it has to be closed first. */
  readonly opensReasoning: boolean;
  /** The prompt ends in a part that the reply goes on with: in a text there is no reasoning to come. */
  readonly continues?: ContinuedPart;
  /** For what is left out of a grammar; one sentence. */
  readonly warn: (message: string) => void;
}

type Held = Pick<Sampling, "grammar" | "grammarTrigger">;
type Demand = Pick<Turn, "toolChoice" | "parallelCalls" | "textSchema"> & {
  readonly tools: Turn["prompt"]["tools"];
};

/** Grammars of the last requests: a conversation asks for the same one at each of its turns. */
const known = new LRUCache<string, Held | AppError>({ max: 64 });
const formatIds = new WeakMap<ReplyFormat, number>();
let formatCount = 0;

/** Nothing where the reply is free. Throws AppError for an answer's schema that no grammar can hold. */
export function replyGrammar(demand: Demand, options: ReplyGrammarOptions): Held {
  if (demand.tools.length === 0 && demand.textSchema === undefined) return {};
  return remembered(keyOf(demand, options), () => makeGrammar(demand, options));
}

/** A refusal is remembered like a grammar: it cost as much. */
function remembered(key: string, make: () => Held): Held {
  const found = known.get(key);
  if (found instanceof AppError) throw found;
  if (found !== undefined) return found;
  try {
    const held = make();
    known.set(key, held);
    return held;
  } catch (error) {
    if (error instanceof AppError) known.set(key, error);
    throw error;
  }
}

/** For a reply that is the answer and nothing else. Throws AppError as `replyGrammar` does. */
export function textGrammar(textSchema: TextSchema, warn: (message: string) => void): Held {
  const { schema, strict, field } = textSchema;
  return remembered(JSON.stringify(["text", writeJson(schema), strict, field]), () => {
    const gbnf = new Gbnf();
    gbnf.define("root", "");
    gbnf.define("root", textRule(gbnf, textSchema, warn));
    return { grammar: gbnf.text() };
  });
}

/** All that a grammar is made of; the tools' words by two hashes, for they are long. */
function keyOf(
  { tools, toolChoice, parallelCalls, textSchema }: Demand,
  options: ReplyGrammarOptions,
): string {
  const { format = USUAL_FORMAT, opensReasoning, continues = null } = options;
  let id = formatIds.get(format);
  if (id === undefined) {
    id = formatCount++;
    formatIds.set(format, id);
  }
  const texts = tools.map(({ definition }) => writeJson(definition)).join("\n");
  const schema =
    textSchema === undefined ? null : [writeJson(textSchema.schema), textSchema.strict, textSchema.field];
  const hashes = [Bun.hash.xxHash64(texts), Bun.hash.wyhash(texts)].map(String);
  return JSON.stringify([id, opensReasoning, continues, toolChoice, parallelCalls, schema, hashes]);
}

function makeGrammar(demand: Demand, options: ReplyGrammarOptions): Held {
  const { toolChoice, textSchema } = demand;
  const tools = callableTools(demand.tools, toolChoice);
  const { format = USUAL_FORMAT } = options;
  const calls = tools.length > 0 ? format.calls : null;
  const isForced = toolChoice.type === "required" || toolChoice.type === "named";
  const gbnf = new Gbnf();
  gbnf.define("root", "");
  if (isForced || textSchema !== undefined) {
    const ways: string[] = [];
    // Where the model has no call format of its own, a demanded call takes the form that most models are trained on.
    const callFormat = calls ?? (isForced ? USUAL_FORMAT.calls : null);
    if (callFormat !== null && (isForced || toolChoice.type === "auto")) {
      // A named tool is called once.
      const parallel = demand.parallelCalls && toolChoice.type !== "named";
      ways.push(callsBody(gbnf, callFormat, tools, parallel, options.warn));
    }
    if (textSchema !== undefined && !isForced) ways.push(textWay(gbnf, format, textSchema, options));
    gbnf.define("root", `${reasoningBody(gbnf, format, options)} (${ways.join(" | ")})`.trim());
    return { grammar: gbnf.text() };
  }
  if (tools.length === 0) {
    const grammar = noCallsGrammar(format, demand.tools);
    return grammar === null ? {} : { grammar };
  }
  const mark = calls === null ? null : callMark(calls, format.channels !== null);
  if (calls === null || mark === null) return {};
  gbnf.define("root", callsBody(gbnf, calls, tools, demand.parallelCalls, options.warn));
  return { grammar: gbnf.text(), grammarTrigger: triggerOf(format, mark, options) };
}

function triggerOf(
  format: ReplyFormat,
  text: string,
  { opensReasoning: opened, continues }: ReplyGrammarOptions,
): GrammarTrigger {
  const reasoning = continues === "text" ? null : reasoningOf(format, opened);
  return {
    text,
    onlyAtStart: format.calls?.bare === true,
    skip: reasoning === null ? null : { ...reasoning, opened },
  };
}

function reasoningOf(format: ReplyFormat, opened: boolean): ReplyFormat["reasoning"] {
  return format.reasoning ?? (opened ? USUAL_FORMAT.reasoning : null);
}

/** Reasoning with its end, and what may stand between it and the rest. */
function reasoningBody(
  gbnf: Gbnf,
  format: ReplyFormat,
  { opensReasoning: opened, continues }: ReplyGrammarOptions,
): string {
  const reasoning = reasoningOf(format, opened);
  // What the parser reads as text must not be written there.
  if (continues === "text" || format.channels === "all") return "";
  if (reasoning === null || reasoning.end === "") return "";
  const next = format.channels === "harmony" ? literal("<|start|>assistant") : "[ \\n]{0,4}";
  let thoughts = until(reasoning.end);
  // No message opener can be written there.
  if (!reasoning.end.includes("<|")) thoughts = both(thoughts, noneOf(patternDfa("<\\|")));
  const think = gbnf.rule("think", `${dfaRule(gbnf, "thoughts", thoughts, RAW)} ${next}`);
  if (opened) return think;
  return reasoning.start === "" ? "" : `(${literal(reasoning.start)} ${think})?`;
}

const TEXT_OPENS = {
  harmony: '"<|channel|>final" (" <|constrain|>json")? "<|message|>"',
  all: literal("all\n"),
  recipients: literal(" to=user<|message|>"),
} as const;

function textWay(
  gbnf: Gbnf,
  format: ReplyFormat,
  textSchema: TextSchema,
  { warn, continues }: ReplyGrammarOptions,
): string {
  const value = textRule(gbnf, textSchema, warn);
  if (continues === "text") return value;
  if (format.channels !== null) return `${TEXT_OPENS[format.channels]} ${value}`;
  const [open, ...close] = format.textMarks;
  const before = open === undefined ? "" : `(${literal(open)} [ \\n]?)?`;
  return `${before} ${value} ${close.map((mark) => `(${literal(mark)})?`).join(" ")}`.trim();
}

function textRule(
  gbnf: Gbnf,
  { schema, strict, field }: TextSchema,
  warn: (message: string) => void,
): string {
  try {
    const { rule, relaxed } = compileSchema(schema, gbnf);
    const [first] = relaxed;
    if (first === undefined) return rule;
    if (strict)
      throw new SchemaError(first.keyword, first.path, "cannot be held by a grammar, and strict asks for it");
    warn(
      `The answer is not held to ${relaxed.map(({ keyword, path }) => `\`${keyword}\` at ${path}`).join(", ")}.`,
    );
    return rule;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new AppError("invalid-request", `The schema cannot be held: ${error.message}.`, {
      field: field + error.path.replaceAll("/", "."),
    });
  }
}
