/**
 * 20,000 random conversations over all templates beside the project, with odd text: white space at the edges, emoji,
 * CJK, combining marks, tags, JSON and the templates' own markers. A template may refuse; nothing else may be
 * thrown, the same conversation gives the same tokens, and no marker that a client wrote becomes special. And
 * 20,000 that are played with a client: what is warmed reaches the last cut that could be known (I6).
 */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { AppError } from "../../src/base/AppError.ts";
import type { Message, PromptInput, Tool } from "../../src/chat/Message.ts";
import type { Json, JsonObject } from "../../src/json/json.ts";
import { fromPlain } from "../../src/json/plainJson.ts";
import { talkArb as playedArb } from "../property/warm/conversationArb.ts";
import { clients } from "../property/warm/echoes.ts";
import { play, serve, unknown } from "../property/warm/playTalk.ts";
import { type CheckedTemplate, readTemplates } from "../support/templateCheck/CheckedTemplate.ts";

const FOLDER = join(import.meta.dir, "../../../shared/templates");
const present = existsSync(FOLDER);
if (!present) console.warn("SKIPPED: fuzzed conversations: there is no ../shared/templates");

const RUNS = 20_000;
const ODD = [
  "a",
  "word",
  " ",
  "  ",
  "\n",
  "\n\n",
  "\t",
  "\r\n",
  "é",
  "e\u0301",
  "👋🏽",
  "你好",
  "\u00a0",
  "\u3000",
  "\u2028",
];
const SYNTAX = [
  '"',
  "'",
  "\\",
  "{",
  "}",
  '{"a": [1, 2.0]}',
  "<b>&</b>",
  "{{ x }}",
  "{% if %}",
  "```json\n",
  "None",
  "%s",
];

/** A text and the same text with a harmless word for each marker. */
interface Pair {
  readonly planted: string;
  readonly harmless: string;
}

function textArb(markers: readonly string[]): fc.Arbitrary<Pair> {
  const odd = fc.constantFrom(...ODD, ...SYNTAX).map((text): Pair => ({ planted: text, harmless: text }));
  const marker = fc.constantFrom(...markers).map((text): Pair => ({ planted: text, harmless: "<wt>" }));
  return fc
    .array(fc.oneof({ weight: 3, arbitrary: odd }, { weight: 1, arbitrary: marker }), { maxLength: 6 })
    .map((parts) => ({
      planted: parts.map((part) => part.planted).join(""),
      harmless: parts.map((part) => part.harmless).join(""),
    }));
}

interface Round {
  readonly user: Pair;
  readonly reasoning: Pair;
  readonly calls: readonly { readonly argument: Pair; readonly result: Pair }[];
  readonly note: Pair | null;
}

interface Talk {
  readonly system: Pair | null;
  readonly rounds: readonly Round[];
  readonly description: Pair;
}

function talkArb(markers: readonly string[]): fc.Arbitrary<Talk> {
  const text = textArb(markers);
  const call = fc.record({ argument: text, result: text });
  const round = fc.record({
    user: text,
    reasoning: text,
    calls: fc.array(call, { maxLength: 2 }),
    note: fc.option(text),
  });
  return fc.record({
    system: fc.option(text),
    rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
    description: text,
  });
}

function inputOf(talk: Talk, side: keyof Pair): PromptInput {
  const messages: Message[] = talk.system === null ? [] : [{ role: "system", content: talk.system[side] }];
  for (const [r, { user, reasoning, calls, note }] of talk.rounds.entries()) {
    messages.push({ role: "user", content: user[side] });
    const ids = calls.map((_, i) => `call0${r}00${i}`);
    if (calls.length > 0) {
      messages.push({
        role: "assistant",
        content: "",
        reasoning: reasoning[side],
        toolCalls: calls.map(({ argument }, i) => ({
          id: ids[i] ?? "",
          name: "f",
          arguments: new Map([["k", argument[side]]]),
        })),
      });
      for (const [i, { result }] of calls.entries()) {
        messages.push({ role: "tool", content: result[side], toolCallId: ids[i] ?? "", name: "f" });
      }
      if (note !== null) messages.push({ role: "user", content: note[side], besideResult: true });
    }
    messages.push({ role: "assistant", content: "done", reasoning: reasoning[side], toolCalls: [] });
  }
  return {
    messages,
    tools: [tool(talk.description[side])],
    kwargs: new Map<string, Json>([["enable_thinking", true]]),
  };
}

function tool(description: string): Tool {
  const parameters = { type: "object", properties: { k: { type: "string", description } } };
  const definition = fromPlain({ type: "function", function: { name: "f", description, parameters } });
  return { name: "f", definition: definition as JsonObject };
}

/** Null where the template refuses. */
function tokensOf({ prompter }: CheckedTemplate, input: PromptInput): Int32Array | null {
  try {
    return prompter.tokens(input, { addGenerationPrompt: true }).tokens;
  } catch (error) {
    if (error instanceof AppError && error.code === "template-refused") return null;
    throw error;
  }
}

describe.skipIf(!present)("fuzzed conversations", () => {
  const templates = present ? readTemplates(FOLDER) : [];
  test.each(templates.map((template) => [template.name, template] as const))("%s", (_, template) => {
    if ("problem" in template) throw new Error(template.problem);
    const specials = new Set(template.vocab.specials.map(({ id }) => id));
    const markers = template.vocab.specials.map(({ text }) => text);
    const own = (tokens: Int32Array): string => [...tokens].filter((token) => specials.has(token)).join();
    fc.assert(
      fc.property(talkArb(markers), (talk) => {
        const planted = tokensOf(template, inputOf(talk, "planted"));
        const harmless = tokensOf(template, inputOf(talk, "harmless"));
        expect(planted === null).toBe(harmless === null);
        if (planted === null || harmless === null) return;
        expect(own(planted)).toBe(own(harmless));
        expect(tokensOf(template, inputOf(talk, "planted"))).toEqual(planted);
      }),
      { numRuns: Math.ceil(RUNS / templates.length), seed: 20260115 },
    );
  });
});

describe.skipIf(!present)("fuzzed predictions", () => {
  const templates = present ? readTemplates(FOLDER) : [];
  let rounds = 0;
  test.each(templates.map((template) => [template.name, template] as const))(
    "%s",
    (_, template) => {
      if ("problem" in template) throw new Error(template.problem);
      const server = serve(template.source, template.vocab);
      fc.assert(
        fc.property(playedArb(true, 2), fc.constantFrom(...clients), (talk, client) => {
          for (const { resumed, knowable } of play(server, client, talk, unknown)) {
            rounds++;
            expect(resumed).toBeGreaterThanOrEqual(knowable);
          }
        }),
        { numRuns: Math.ceil(RUNS / templates.length), seed: 20260115 },
      );
      // Three seconds each on an idle machine; a busy one is no failure.
    },
    300_000,
  );

  test("most talks are rendered", () => {
    console.log(`${rounds} next turns`);
    expect(rounds).toBeGreaterThan(RUNS);
  });
});
