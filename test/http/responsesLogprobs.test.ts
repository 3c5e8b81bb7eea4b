/** `include: ["message.output_text.logprobs"]`: of the tokens that wrote a message's text, whole and streamed. */
import { expect, test } from "bun:test";
import OpenAI from "openai";
import { fakeServer } from "../support/FakeServer.ts";
import { type Loose, listening } from "../support/httpClient.ts";
import { ADD, events, HI, response } from "./responsesWire.ts";
import { onEachTarget } from "./targets.ts";

const include = ["message.output_text.logprobs"];
const TOP_2 = [
  { id: 97, token: "a", bytes: [97], logprob: -1 },
  { id: 98, token: "b", bytes: [98], logprob: -2 },
];
const textOf = (logprobs: readonly Loose[]): string =>
  Buffer.from(logprobs.flatMap(({ bytes }) => bytes as number[])).toString();
const deltasOf = (all: readonly Loose[]): Loose[] =>
  all.filter(({ type }) => type === "response.output_text.delta");

onEachTarget("logprobs in responses", (open) => {
  test("of each token: text, bytes, logarithm, and the likeliest", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "h\u00e9" });
    const whole = await response(opened.target, { include, top_logprobs: 2 });
    const [part] = whole.output[0].content;
    expect(part.logprobs).toEqual([
      { id: 104, token: "h", bytes: [104], logprob: -0.5, top_logprobs: TOP_2 },
      { id: 195, token: "\ufffd", bytes: [195], logprob: -0.5, top_logprobs: TOP_2 },
      { id: 169, token: "\ufffd", bytes: [169], logprob: -0.5, top_logprobs: TOP_2 },
    ]);
    expect(whole.top_logprobs).toBe(2);
    expect(opened.server.engine.runs[0]?.spec.probs).toEqual({ top: 2, afterSampling: false });
    const streamed = await events(opened.target, { include, top_logprobs: 2 });
    expect(deltasOf(streamed).map(({ delta, logprobs }) => [delta, textOf(logprobs)])).toEqual([
      ["h", "h"],
      ["\u00e9", "\u00e9"],
    ]);
    const of = (type: string): Loose => streamed.find((one) => one.type === type) ?? {};
    expect(of("response.output_text.done").logprobs).toEqual(part.logprobs);
    expect(of("response.content_part.done").part).toEqual(part);
    expect(of("response.content_part.added").part.logprobs).toEqual([]);
    expect(of("response.output_item.done").item.content).toEqual([part]);
    expect(of("response.completed").response.output[0].content).toEqual([part]);
  });

  test("of text alone: neither of reasoning, nor of calls, nor of what marks them", async () => {
    await using opened = open();
    const call = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>';
    const text = `<think>\nhm, think\n</think>\n\nthink <b> so${call}`;
    opened.server.engine.script = () => ({ text });
    const asked = { include, tools: [ADD] };
    const { output } = await response(opened.target, asked);
    expect(output.map(({ type }: Loose) => type)).toEqual(["reasoning", "message", "function_call"]);
    const [part] = output[1].content;
    expect([part.text, textOf(part.logprobs)]).toEqual(["think <b> so", "think <b> so"]);
    expect(part.logprobs[0].top_logprobs).toEqual([]);
    const streamed = deltasOf(await events(opened.target, asked));
    for (const { delta, logprobs } of streamed) expect(textOf(logprobs)).toBe(delta);
    expect(streamed.map(({ delta }) => delta).join("")).toBe(part.text);
  });

  test("where nobody asks, the engine is not asked, and there are none", async () => {
    await using opened = open();
    const whole = await response(opened.target, {
      top_logprobs: 5,
      include: ["reasoning.encrypted_content"],
    });
    expect([whole.output[0].content[0].logprobs, whole.top_logprobs]).toEqual([[], 5]);
    expect(opened.server.engine.runs[0]?.spec.probs).toBeUndefined();
    for (const { logprobs } of deltasOf(await events(opened.target, {}))) expect(logprobs).toEqual([]);
    expect(opened.server.notes).toEqual([]);
  });
});

test("the openai package reads them", async () => {
  const server = fakeServer();
  await using target = listening(server.app);
  const client = new OpenAI({ baseURL: `${target.url}/v1`, apiKey: "none", maxRetries: 0 });
  const answer = await client.responses.create({
    ...HI,
    include: ["message.output_text.logprobs"],
    top_logprobs: 1,
  });
  const [message] = answer.output;
  if (message?.type !== "message" || message.content[0]?.type !== "output_text") throw new Error("no text");
  const { logprobs = [], text } = message.content[0];
  expect(logprobs.map(({ token }) => token).join("")).toBe(text);
  expect(logprobs[0]?.top_logprobs[0]).toMatchObject({ token: "a", logprob: -1 });
});
