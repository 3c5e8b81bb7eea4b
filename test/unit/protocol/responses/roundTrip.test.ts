/** Whatever the model writes: the items that a client gets of it, sent back as they came, are the reply again. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalForm } from "../../../../src/chat/canonical.ts";
import { ReplyParser } from "../../../../src/chat/replyParser.ts";
import { parseJson } from "../../../../src/json/parseJson.ts";
import { readResponsesRequest } from "../../../../src/protocol/responses/model.ts";
import { OutputItems } from "../../../../src/protocol/responses/OutputItems.ts";
import { output, user } from "../../../http/responsesWire.ts";
import { byteVocab } from "../../../support/FakeEngine.ts";
import { BYTE_SAMPLING } from "../../../support/sampling.ts";

const TOOLS = [
  {
    type: "function",
    name: "add",
    parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  },
  { type: "namespace", name: "ns", tools: [{ type: "function", name: "f" }] },
  { type: "custom", name: "patch" },
];

function read(input: readonly unknown[]) {
  const body = parseJson(JSON.stringify({ input, tools: TOOLS }));
  const stored = { response: () => undefined, item: () => undefined };
  return readResponsesRequest(body, { sampling: BYTE_SAMPLING, stored });
}

const text = fc.stringMatching(/^[ \n]{0,3}[a-z é]{0,12}[ \n]{0,3}$/);
const callArb = fc.oneof(
  fc
    .record({ a: fc.integer(), b: fc.double({ noNaN: true, noDefaultInfinity: true }) })
    .map((args) => ["add", args]),
  fc.record({ x: fc.string() }).map((args) => ["ns__f", args]),
  fc.record({ input: fc.string() }).map((args) => ["patch", args]),
);
const replyArb = fc.record({
  reasoning: fc.option(text),
  parts: fc.array(fc.oneof(text, callArb), { maxLength: 4 }),
  cuts: fc.array(fc.nat(200), { maxLength: 6 }),
  seals: fc.boolean(),
});

function written(reasoning: string | null, parts: readonly unknown[]): string {
  const spelt = parts.map((part) => {
    if (typeof part === "string") return part;
    const [name, args] = part as [string, object];
    return `<tool_call>\n{"name": "${name}",  "arguments": ${JSON.stringify(args)}}\n</tool_call>`;
  });
  return `${reasoning === null ? "" : `<think>${reasoning}</think>`}${spelt.join("")}`;
}

test("items that are sent back as they came are the reply", () => {
  const { clientTools, turn } = read([user("x")]);
  let calls = 0;
  fc.assert(
    fc.property(replyArb, ({ reasoning, parts, cuts, seals }) => {
      let ids = 0;
      const newId = (): string => String(++ids);
      const { tools } = turn.prompt;
      const parser = new ReplyParser({ opensReasoning: false, tools, newCallId: () => `call_${newId()}` });
      const items = new OutputItems({ newId, clientTools, sealsReasoning: seals, vocab: byteVocab });
      const said = written(reasoning, parts);
      const ends = [...cuts.filter((cut) => cut < said.length).sort((a, b) => a - b), said.length];
      let from = 0;
      for (const end of ends) {
        for (const delta of parser.push(said.slice(from, end))) for (const _ of items.push(delta));
        from = end;
      }
      for (const delta of parser.end()) for (const _ of items.push(delta));
      for (const _ of items.end("completed"));
      const reply = parser.message();
      calls += reply.toolCalls.length;
      const outputs = items.items.flatMap((item) =>
        item.type.endsWith("call")
          ? [{ ...output(String(item["call_id"]), "ok"), type: `${item.type}_output` }]
          : [],
      );
      const { messages } = read([user("x"), ...items.items, ...outputs, user("y")]).turn.prompt;
      const echoed = messages.filter(({ role }) => role === "assistant");
      const blank = reply.content === "" && reply.reasoning === "" && reply.toolCalls.length === 0;
      expect(echoed).toEqual(blank ? [] : canonicalForm([reply], tools));
    }),
    { numRuns: 300 },
  );
  expect(calls).toBeGreaterThan(50);
});
