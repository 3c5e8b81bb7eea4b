/** Random conversations as they go over the wire: what the model writes, and what the client adds. */
import fc from "fast-check";
import type { ReplyParts } from "../../../src/chat/replyMessage.ts";
import type { SchemaOrder } from "./echoes.ts";

/** A reply as parsed out of the model's tokens, and what the client sends after it. */
export interface Round {
  readonly reply: ReplyParts;
  /** One result for each call; else the one user text. */
  readonly next: readonly string[];
}

export interface Talk {
  readonly system: string | null;
  readonly withTools: boolean;
  readonly first: string;
  readonly rounds: readonly Round[];
}

export const toolsJson = JSON.stringify([
  {
    type: "function",
    function: {
      name: "edit_file",
      description: "Replaces text in a file of the project.",
      parameters: {
        type: "object",
        properties: { path: { type: "string" }, line: { type: "number" }, text: { type: "string" } },
      },
    },
  },
  {
    type: "function",
    function: { name: "run", description: "Runs a command.", parameters: { type: "object" } },
  },
]);

export const schemaOrder: SchemaOrder = { edit_file: ["path", "line", "text"] };

const words = fc.constantFrom(
  ...["the", " the", "user", "a", "Z", "1", " ", "\n", "\n\n", "\n\n\n", "\t", '"', "{", "é", "世界", "🙂"],
  ...[
    "<|im_end|>",
    "<|im_start|>user\n",
    "<think>",
    "</think>",
    "<tool_call>",
    "[INST]",
    "<eos>",
    "\\",
    "</s>",
  ],
);
const text = fc.array(words, { maxLength: 24 }).map((parts) => parts.join(""));
const longText = fc
  .tuple(text, fc.nat(4), text)
  .map(([a, times, b]) => a + " lorem ipsum".repeat(times * 4) + b);

const number = fc.constantFrom("0", "-1", "2.0", "-1.50", "1e-7", "1E5", "12345678901234567890", "0.1");
const scalar = fc.oneof(
  number,
  text.map((value) => JSON.stringify(value)),
  fc.constantFrom("true", "null"),
);
const key = fc.constantFrom("path", "line", "text", "10", "2", "other", "ключ", "a b");
const odd = fc.constantFrom("", " ", "\n  ");

/** A JSON object as a model may write it: any key order, any spacing. */
const object = (depth: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.uniqueArray(key, { maxLength: 4 }),
      fc.array(depth > 0 ? fc.oneof(scalar, object(depth - 1), list(depth)) : scalar, {
        minLength: 4,
        maxLength: 4,
      }),
      odd,
      odd,
    )
    .map(([keys, values, before, after]) => {
      const pairs = keys.map((name, i) => `${JSON.stringify(name)}${before}:${after}${values[i] ?? "null"}`);
      return `{${pairs.join(`${before},${after}`)}}`;
    });

function list(depth: number): fc.Arbitrary<string> {
  return fc
    .array(depth > 1 ? object(depth - 1) : scalar, { maxLength: 3 })
    .map((items) => `[${items.join(", ")}]`);
}

/** Not "[1, 2]": what parses as something else than an object is text to the reply's parser. */
const malformed = fc.constantFrom('{"path": "a', "", "ls -l");
const call = fc.record({
  name: fc.constantFrom("edit_file", "run"),
  arguments: fc.oneof({ weight: 8, arbitrary: object(2) }, { weight: 1, arbitrary: malformed }),
});

const edge = fc.constantFrom("", "\n", "\n\n", " ");
const reasoning = fc.oneof(
  { weight: 1, arbitrary: fc.constant("") },
  { weight: 3, arbitrary: fc.tuple(edge, longText, edge).map((parts) => parts.join("")) },
);

const round = (calls: number): fc.Arbitrary<Round> =>
  fc
    .record({
      reasoning,
      text: fc.tuple(edge, longText, edge).map((parts) => parts.join("")),
      calls: fc.array(call, { maxLength: calls }),
      next: fc.array(longText, { minLength: 2, maxLength: 2 }),
    })
    .map(({ reasoning, text, calls, next }) => ({
      reply: { reasoning, text, calls: calls.map((one) => ({ ...one, id: "" })) },
      next: next.slice(0, Math.max(1, calls.length)),
    }));

export function talkArb(tools: boolean, callsMax: number): fc.Arbitrary<Talk> {
  return fc
    .record({
      system: fc.option(longText),
      withTools: tools ? fc.boolean() : fc.constant(false),
      first: longText,
      rounds: fc.array(round(tools ? callsMax : 0), { minLength: 1, maxLength: 3 }),
    })
    .map((talk) => ({
      ...talk,
      rounds: talk.rounds.map((one, r) => ({
        next: one.next,
        reply: { ...one.reply, calls: one.reply.calls.map((each, c) => ({ ...each, id: `call_${r}_${c}` })) },
      })),
    }));
}
