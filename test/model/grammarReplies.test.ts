/** Grammars of schemas and calls on true models: what a random model writes is valid, once it has to be. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@cfworker/json-schema";
import { USUAL_FORMAT } from "../../src/chat/formats/ReplyFormat.ts";
import type { Tool, ToolChoice } from "../../src/chat/Message.ts";
import { ReplyParser } from "../../src/chat/replyParser.ts";
import { LlamaDevice } from "../../src/engine/LlamaDevice.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { fromPlain } from "../../src/json/plainJson.ts";
import type { Sampling } from "../../src/run/RunSpec.ts";
import { replyGrammar } from "../../src/serve/replyGrammar.ts";
import { GREEDY } from "../support/sampling.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const PARAMETERS = {
  type: "object",
  properties: {
    city: { type: "string", maxLength: 12 },
    day: { type: "string", format: "date" },
    hours: { type: "array", items: { type: "integer", minimum: 0, maximum: 23 }, minItems: 2, maxItems: 3 },
    unit: { enum: ["celsius", "fahrenheit"] },
  },
  required: ["city", "day", "hours", "unit"],
  additionalProperties: false,
};
const definition = fromPlain({ type: "function", function: { name: "weather", parameters: PARAMETERS } });
const TOOLS: readonly Tool[] = [{ name: "weather", definition: definition as JsonObject }];

const SAMPLING: Sampling = { ...GREEDY, temperature: 1 };

let device: LlamaDevice;

beforeAll(async () => {
  const { path } = await tinyModel("lfm2");
  const context = { ctxTokens: 1024, ubatch: 64, threads: 1 };
  device = LlamaDevice.open({}, { path }, { lanes: 1, spares: 0, context });
});
afterAll(() => device[Symbol.dispose]());

function write(sampling: Sampling): { readonly text: string; readonly ended: boolean } {
  const { vocab } = device.model;
  device.clear(0);
  const prompt = vocab.tokenise("hello", false);
  device.prefill(0, 0, prompt, true);
  using sampler = device.sampler(sampling, prompt);
  const bytes: number[] = [];
  for (let count = 0; count < 900; count += 1) {
    const sampled = sampler.sample(0);
    if ("deadEnd" in sampled) throw new Error(sampled.deadEnd);
    if (device.isEnd(sampled.token))
      return { text: new TextDecoder().decode(new Uint8Array(bytes)), ended: true };
    bytes.push(...vocab.piece(sampled.token));
    device.decode([{ seq: 0, pos: prompt.length + count, token: sampled.token }]);
  }
  return { text: new TextDecoder().decode(new Uint8Array(bytes)), ended: false };
}

function held(toolChoice: ToolChoice, answer: boolean) {
  return replyGrammar(
    {
      tools: answer ? [] : TOOLS,
      toolChoice,
      parallelCalls: false,
      ...(answer ? { textSchema: { schema: fromPlain(PARAMETERS), strict: true, field: "schema" } } : {}),
    },
    // A random model that has begun to think never stops.
    { opensReasoning: false, warn: () => {}, format: { ...USUAL_FORMAT, reasoning: null } },
  );
}

function callIn(text: string): unknown {
  const parser = new ReplyParser({ opensReasoning: false, tools: TOOLS, newCallId: () => "c" });
  parser.push(text);
  parser.end();
  const { toolCalls } = parser.message();
  expect(toolCalls.map((call) => call.name)).toEqual(["weather"]);
  return JSON.parse(text.slice(text.indexOf('"arguments":') + 12, text.lastIndexOf("}")));
}

const validator = new Validator(PARAMETERS as object, "2020-12");

describe.each([1, 2, 3])("seed %i", (seed) => {
  test("an answer of a schema", () => {
    const { text, ended } = write({ ...SAMPLING, seed, ...held({ type: "none" }, true) });
    expect(ended).toBe(true);
    expect(validator.validate(JSON.parse(text)).valid).toBe(true);
  });

  test("a demanded call", () => {
    const { text, ended } = write({ ...SAMPLING, seed, ...held({ type: "required" }, false) });
    expect(ended).toBe(true);
    expect(validator.validate(callIn(text) as object).valid).toBe(true);
  });

  test("a free call, held once its mark was written", () => {
    const { vocab } = device.model;
    const mark = vocab.specials.find(({ text }) => text === "<tool_call>")?.id ?? -1;
    // Text first; then the mark is what the model likes best.
    const { grammar, grammarTrigger } = held({ type: "auto" }, false);
    expect(grammarTrigger?.text).toBe("<tool_call>");
    const sampling = { ...SAMPLING, seed, logitBias: [{ token: mark, bias: 14 }] };
    const free = write(sampling);
    expect(() => callIn(free.text)).toThrow();
    const { text, ended } = write({
      ...sampling,
      ...(grammar === undefined ? {} : { grammar }),
      ...(grammarTrigger === undefined ? {} : { grammarTrigger }),
    });
    expect(ended).toBe(true);
    expect(validator.validate(callIn(text) as object).valid).toBe(true);
  });
});
