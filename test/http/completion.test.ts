/** llama-server's `/completion`: its shapes, its prompts, and what its next prompt is warmed with. */
import { describe, expect, test } from "bun:test";
import type { RawWarmJob } from "../../src/warm/WarmJob.ts";
import { FAKE_MODEL } from "../support/FakeServer.ts";
import { type HttpTarget, json, type Loose, postChat, readSse } from "../support/httpClient.ts";
import { onEachTarget } from "./targets.ts";

const post = (target: HttpTarget, body: unknown, path = "/completion"): Promise<Response> =>
  postChat(target, body, { path });

async function stream(target: HttpTarget, body: object): Promise<Loose[]> {
  const response = await post(target, { ...body, stream: true });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  return (await readSse(response)).data.map((data) => JSON.parse(data));
}

const bytes = (text: string): number[] => [...new TextEncoder().encode(text)];

onEachTarget("/completion", (open) => {
  test("a whole answer, on both paths", async () => {
    await using opened = open();
    for (const path of ["/completion", "/completions"]) {
      const body = await json(
        await post(opened.target, { prompt: "Once", n_predict: 9, seed: 7, temperature: 0 }, path),
      );
      expect(body).toMatchObject({
        index: 0,
        content: "hello",
        tokens: [],
        stop: true,
        model: FAKE_MODEL,
        tokens_predicted: 5,
        tokens_evaluated: 4,
        tokens_cached: 9,
        prompt: "Once",
        has_new_line: false,
        truncated: false,
        stop_type: "eos",
        stopping_word: "",
        generation_settings: {
          n_predict: 9,
          max_tokens: 9,
          seed: 7,
          temperature: 0,
          stop: [],
          stream: false,
        },
        timings: { prompt_n: 4, predicted_n: 5 },
        warmturn: { resumed: 0 },
      });
    }
    const { spec } = opened.server.engine.runs[0] ?? {};
    expect([...(spec?.plan.tokens ?? [])]).toEqual(bytes("Once"));
    expect(spec).toMatchObject({ purpose: "request", maxTokens: 9, sampling: { seed: 7, temperature: 0 } });
  });

  test("a stream: each token, then the end, and no [DONE]", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "hé\n" });
    const events = await stream(opened.target, { prompt: "Once" });
    expect(events.map(({ content, tokens, stop }) => [content, tokens, stop])).toEqual([
      ["h", [104], false],
      // A character that spans tokens comes with its last.
      ["", [0xc3], false],
      ["é", [0xa9], false],
      ["\n", [10], false],
      ["", [], true],
    ]);
    expect(events.at(-1)).toMatchObject({
      stop_type: "eos",
      tokens_predicted: 4,
      has_new_line: true,
      generation_settings: { stream: true },
    });
  });

  test("return_tokens", async () => {
    await using opened = open();
    const body = await json(await post(opened.target, { prompt: "Once", return_tokens: true }));
    expect(body.tokens).toEqual(bytes("hello"));
  });

  test("why it stopped", async () => {
    await using opened = open();
    const { engine } = opened.server;
    engine.script = () => ({ text: "one, two, three", hold: "decode" });
    const word = await json(await post(opened.target, { prompt: "x", stop: ["two"] }));
    expect([word.content, word.stop_type, word.stopping_word]).toEqual(["one, ", "word", "two"]);
    engine.script = () => ({ text: "one", reason: "length" });
    const limit = await json(await post(opened.target, { prompt: "x" }));
    expect([limit.stop_type, limit.truncated]).toEqual(["limit", false]);
    engine.script = () => ({ text: "one", reason: "length", report: { promptTokens: 4093 } });
    expect((await json(await post(opened.target, { prompt: "x" }))).truncated).toBe(true);
    engine.script = () => ({ text: "", reason: "prefilled" });
    const kept = await json(await post(opened.target, { prompt: "x", n_predict: 0 }));
    expect([kept.content, kept.stop_type, kept.tokens_evaluated]).toEqual(["", "limit", 1]);
    expect(engine.runs.at(-1)?.spec.maxTokens).toBe(0);
  });

  test("a reply is told as it is: no edge is trimmed, no tag is read", async () => {
    await using opened = open();
    const text = ' \n<think>a</think>\n\n<tool_call>{"name": "add"}</tool_call> \n';
    opened.server.engine.script = () => ({ text });
    expect((await json(await post(opened.target, { prompt: "x" }))).content).toBe(text);
    const events = await stream(opened.target, { prompt: "x" });
    expect(events.map(({ content }) => content).join("")).toBe(text);
  });

  test.each<[string, unknown, number[][]]>([
    ["text", "ab", [[97, 98]]],
    ["tokens", [1, 2, 3], [[1, 2, 3]]],
    ["both, mixed", [1, "ab", 2], [[1, 97, 98, 2]]],
    ["an object", { prompt_string: "ab" }, [[97, 98]]],
    ["texts", ["a", "b"], [[97], [98]]],
    ["token lists", [[1, 2], [3]], [[1, 2], [3]]],
    ["everything", [[1, "a"], [2], "b", { prompt_string: "c" }], [[1, 97], [2], [98], [99]]],
  ])("a prompt of %s", async (_, prompt, plans) => {
    await using opened = open();
    const body = await json(await post(opened.target, { prompt }));
    const { runs } = opened.server.engine;
    expect(runs.map(({ spec }) => [...spec.plan.tokens])).toEqual(plans);
    expect(Array.isArray(body) ? body.map(({ index }) => index) : [0]).toEqual(
      plans.map((_, index) => index),
    );
    expect(runs.map(({ isCancelled }) => isCancelled)).toEqual(plans.map(() => false));
  });

  test("several prompts are streamed side by side, each with its place and its end", async () => {
    await using opened = open();
    opened.server.engine.script = ({ plan }) => ({ tokens: [...plan.tokens, ...plan.tokens] });
    const events = await stream(opened.target, { prompt: ["a", "b"] });
    for (const [index, content] of ["aa", "bb"].entries()) {
      const own = events.filter((event) => event.index === index);
      expect(own.map((event) => event.content).join("")).toBe(content);
      expect(own.filter((event) => event.stop)).toHaveLength(1);
    }
  });

  test("when one of several is refused, none goes on", async () => {
    await using opened = open();
    const { engine } = opened.server;
    engine.script = ({ plan }) =>
      plan.tokens[0] === 97
        ? { text: "x", hold: "prefill" }
        : { refuse: { code: "queue-full", message: "The queue is full." } };
    for (const more of [{}, { stream: true }]) {
      const response = await post(opened.target, { prompt: ["a", "b"], ...more });
      expect([response.status, (await json(response)).error]).toEqual([
        429,
        { code: 429, message: "The queue is full.", type: "rate_limit_error", param: null },
      ]);
    }
    expect(engine.runs.map(({ terminal }) => terminal?.type)).toEqual([
      "aborted",
      "refused",
      "aborted",
      "refused",
    ]);
  });

  test("a failure after the first byte is an event", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({
      text: "x",
      fail: { code: "evaluate-failed", message: "The GPU is gone." },
    });
    const events = await stream(opened.target, { prompt: "x" });
    expect(events.at(-1)).toEqual({
      error: { code: 500, message: "The GPU is gone.", type: "server_error", param: null },
    });
    expect((await post(opened.target, { prompt: "x" })).status).toBe(500);
  });

  test("response_fields", async () => {
    await using opened = open();
    const fields = ["content", "generation_settings/n_predict", "nothing", "content/x"];
    const body = await json(
      await post(opened.target, { prompt: "x", n_predict: 3, response_fields: fields }),
    );
    expect(body).toEqual({ content: "hello", "generation_settings/n_predict": 3 });
  });

  test("a json_schema is held", async () => {
    await using opened = open();
    await post(opened.target, { prompt: "x", json_schema: { type: "boolean" } });
    expect(opened.server.engine.runs[0]?.spec.sampling?.grammar).toContain("root ::=");
    await post(opened.target, { prompt: "x", grammar: 'root ::= "a"' });
    expect(opened.server.engine.runs[1]?.spec.sampling?.grammar).toBe('root ::= "a"');
  });
});

describe("what is warmed behind a raw reply", () => {
  onEachTarget("/completion", (open) => {
    const warmed = async (prompt: unknown): Promise<RawWarmJob> => {
      await using opened = open();
      const job = new Promise<RawWarmJob>((resolve) => {
        opened.server.onRawJob = resolve;
      });
      await json(await post(opened.target, { prompt, stop: ["ll"] }));
      expect(opened.server.jobs).toEqual([]);
      return await job;
    };

    test("text comes back as text, tokens as tokens", async () => {
      expect((await warmed("Once")).grown.parts).toEqual([{ text: "Oncehe", special: true }]);
      expect((await warmed([1, 2])).grown.parts).toEqual([{ tokens: [1, 2, ...bytes("hell")] }]);
      expect((await warmed([1, "Once"])).grown.parts).toEqual([
        { tokens: [1] },
        { text: "Oncehe", special: true },
      ]);
    });

    test("the next prompt is the conversation's next turn", async () => {
      await using opened = open();
      const prompt = "Once upon a time, ".repeat(8);
      await json(await post(opened.target, { prompt }));
      await json(await post(opened.target, { prompt: `${prompt}hello again` }));
      const [a, b] = opened.server.engine.runs.map(({ spec }) => spec.conversation);
      expect(b).toEqual({ id: a?.id ?? "", turn: 2 });
    });
  });
});
