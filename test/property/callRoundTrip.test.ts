/**
 * Two rules over all templates of the study: a template's own render of any valid call fits the grammar and is read
 * back to the same arguments; an argument that the tool's schema refuses is refused, at any depth, however the family
 * spells it. Random schemas, random valid arguments, their keys in any order.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@cfworker/json-schema";
import type { ReplyFormat } from "../../src/chat/formats/ReplyFormat.ts";
import { ReplyTrial } from "../../src/chat/formats/ReplyTrial.ts";
import { spellCalls } from "../../src/chat/formats/spellCalls.ts";
import type { Message, Tool } from "../../src/chat/Message.ts";
import { ReplyParser } from "../../src/chat/replyParser.ts";
import type { Json, JsonObject } from "../../src/json/json.ts";
import { isJsonArray, isJsonObject } from "../../src/json/kinds.ts";
import { toPlain } from "../../src/json/plainJson.ts";
import { Prompter } from "../../src/prompt/Prompter.ts";
import { replyGrammar } from "../../src/serve/replyGrammar.ts";
import { GrammarMatcher } from "../support/grammar/GrammarMatcher.ts";
import { type CallSample, makeCall } from "../support/grammar/makeCall.ts";
import { templateVocab } from "../support/templateCheck/templateVocab.ts";
import { Prng } from "../support/tinyModels/Prng.ts";

const folder = join(import.meta.dir, "../../../shared/templates");
const present = existsSync(folder);
if (!present) console.warn("SKIPPED: calls of real templates: there is no ../shared/templates");

/** By a mark of their text. Each is held to all but what is named. */
const EXCEPTIONS: readonly Exception[] = [
  {
    templates: ["LFM2-8B-A1B.jinja", "LFM2.5-8B-A1B.jinja"],
    why: "strings stand between single quotes without escapes: what looks like one, or like their end, cannot be told",
    unlike: /\\|'\s*[,)\]}:<]/,
  },
  {
    templates: ["deepseek-ai-DeepSeek-R1-Distill-Llama-8B.jinja"],
    why: "the section of a single call is left open; the model closes it",
    behind: "<｜tool▁calls▁end｜>",
  },
];

interface Exception {
  readonly templates: readonly string[];
  readonly why: string;
  /** Texts that are left out. */
  readonly unlike?: RegExp;
  /** What the grammar wants behind the render. */
  readonly behind?: string;
}

/** For each template; other seeds by `WARMTURN_SEED`. */
const CALLS = 5;

interface Subject {
  readonly trial: ReplyTrial;
  readonly format: ReplyFormat;
  readonly source: string;
}

function subjectOf(file: string): Subject {
  const source = readFileSync(join(folder, file), "utf8");
  const prompter = new Prompter({ template: source, vocab: templateVocab(source), today: () => new Date(0) });
  const { format } = prompter.toolDialect.reply;
  const vocab = templateVocab(source);
  const render = (messages: readonly Message[], tools: readonly Tool[], addGenerationPrompt: boolean) => {
    try {
      const kwargs = new Map<string, Json>([["enable_thinking", true]]);
      return prompter.text({ messages, tools, kwargs }, { addGenerationPrompt });
    } catch {
      return undefined;
    }
  };
  const isEnd = (tag: string) => vocab.specials.some(({ id, text }) => text === tag && vocab.isEnd(id));
  return { trial: new ReplyTrial({ render, isEnd, reasoning: format.reasoning }), format, source };
}

/** The call as the template writes it; as the format does where the history is not what the model writes. */
function written({ trial, format, source }: Subject, { tool, value }: CallSample): string | undefined {
  const call = { name: tool.name, arguments: value };
  const spelt = () =>
    format.calls === null ? undefined : spellCalls(format.calls, [{ ...call, id: trial.id(call, 0) }]);
  if (format.channels !== null || !source.includes("tool_calls")) return spelt();
  const rendered = trial.calls([call]) ?? trial.withNamedIds().calls([call]);
  return rendered ?? spelt();
}

function fitting({ format }: Subject, tool: Tool): GrammarMatcher {
  const { grammar = "" } = replyGrammar(
    { tools: [tool], toolChoice: { type: "required" }, parallelCalls: false },
    { format: { ...format, reasoning: null, channels: null }, opensReasoning: false, warn: () => {} },
  );
  return new GrammarMatcher(grammar);
}

function readBack({ format }: Subject, tool: Tool, text: string): unknown {
  const parser = new ReplyParser({ format, opensReasoning: false, tools: [tool], newCallId: () => "call_1" });
  // Who is addressed is no part of the call.
  const header = format.channels === "recipients" ? ` to=${tool.name}<|message|>` : "";
  parser.push(header + text);
  parser.end();
  const [call, ...others] = parser.message().toolCalls;
  return call === undefined || others.length > 0 ? parser.message() : call.arguments;
}

describe.skipIf(!present)("a call of any schema", () => {
  for (const file of present ? readdirSync(folder).filter((name) => name.endsWith(".jinja")) : []) {
    test(file, () => {
      const subject = subjectOf(file);
      const exception = EXCEPTIONS.find(({ templates }) => templates.includes(file));
      let refused = 0;
      for (let index = 0; index < CALLS; index += 1) {
        const sample = makeCall(new Prng(`call ${index}`), exception?.unlike ?? null);
        const { tool, value, schema } = sample;
        const behind = exception?.behind ?? "";
        const text = written(subject, sample);
        if (text === undefined) continue;
        const matcher = fitting(subject, tool);
        const spelt = text + behind;
        expect({ index, spelt, fits: matcher.fitting(spelt) }).toEqual({ index, spelt, fits: spelt.length });
        expect({ index, spelt, ends: matcher.matches(spelt) }).toEqual({ index, spelt, ends: true });
        const back = readBack(subject, tool, spelt);
        expect({ index, spelt, back: plain(back) }).toEqual({ index, spelt, back: toPlain(value) });
        const validator = new Validator(schema as object, "2020-12");
        for (const wrong of sample.wrong) {
          const bad = written(subject, { ...sample, value: wrong });
          if (bad === undefined || validator.validate(toPlain(wrong) as object).valid) continue;
          // A text that is written bare may be one of another kind that is right.
          const read = readBack(subject, tool, bad);
          if (!Bun.deepEquals(plain(read), toPlain(wrong))) continue;
          refused += 1;
          expect({ index, bad, fits: matcher.matches(bad + behind) }).toEqual({ index, bad, fits: false });
        }
      }
      expect(refused).toBeGreaterThan(CALLS);
    });
  }
});

function plain(value: unknown): unknown {
  return value instanceof Map || isJsonArray(value as Json) || isJsonObject(value as Json)
    ? toPlain(value as JsonObject)
    : value;
}

test("the exceptions are few", () => {
  expect(EXCEPTIONS.flatMap(({ templates }) => templates).length).toBeLessThanOrEqual(3);
});
