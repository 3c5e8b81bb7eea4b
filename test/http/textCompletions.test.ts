/** OpenAI's legacy completions: shapes, several choices, what is refused; the openai package reads them. */
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { FAKE_MODEL, fakeServer } from "../support/FakeServer.ts";
import { type HttpTarget, json, type Loose, listening, postChat, readSse } from "../support/httpClient.ts";
import { BAD_COMPLETIONS } from "./badCompletions.ts";
import { onEachTarget } from "./targets.ts";

const path = "/v1/completions";
const NO_FIM = { fim: { prefix: -1, suffix: -1, middle: -1, repo: -1, separator: -1 } };

const post = (target: HttpTarget, body: unknown): Promise<Response> => postChat(target, body, { path });

async function stream(target: HttpTarget, body: object): Promise<Loose[]> {
  const { data } = await readSse(await post(target, { ...body, stream: true }));
  expect(data.at(-1)).toBe("[DONE]");
  return data.slice(0, -1).map((event) => JSON.parse(event));
}

onEachTarget("/v1/completions", (open) => {
  test("a whole answer", async () => {
    await using opened = open();
    const body = await json(await post(opened.target, { model: "any", prompt: "Once", max_tokens: 9 }));
    expect(body).toMatchObject({
      object: "text_completion",
      model: "any",
      choices: [{ index: 0, text: "hello", logprobs: null, finish_reason: "stop" }],
      usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 },
      timings: { prompt_n: 4 },
      warmturn: { prefilled: 4 },
    });
    expect(body.id).toStartWith("cmpl-");
    expect(opened.server.engine.runs[0]?.spec.maxTokens).toBe(9);
  });

  test("a stream: text, then why it ended, then usage where it is wanted", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "hé", reason: "length" });
    const events = await stream(opened.target, { prompt: "x", stream_options: { include_usage: true } });
    expect(events.map(({ choices }) => choices.map((one: Loose) => [one.text, one.finish_reason]))).toEqual([
      [["h", null]],
      [["é", null]],
      [["", "length"]],
      [],
    ]);
    expect(events.at(-1).usage).toMatchObject({ prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 });
    expect(events.at(-2).warmturn.prefilled).toBe(1);
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    expect(await stream(opened.target, { prompt: "x" })).toHaveLength(3);
  });

  test("prompts times n are the choices; a prompt's tokens count once", async () => {
    await using opened = open();
    opened.server.engine.script = ({ plan, sampling }) => ({
      tokens: [...plan.tokens, 48 + (sampling?.seed ?? 0)],
      report: { resumedTokens: 1 },
    });
    const body = { prompt: ["aa", [98, 98]], n: 2, seed: 1 };
    const whole = await json(await post(opened.target, body));
    expect(whole.choices.map(({ index, text }: Loose) => [index, text])).toEqual([
      [0, "aa1"],
      [1, "aa2"],
      [2, "bb1"],
      [3, "bb2"],
    ]);
    expect(whole.usage).toMatchObject({
      prompt_tokens: 4,
      completion_tokens: 12,
      total_tokens: 16,
      prompt_tokens_details: { cached_tokens: 2 },
    });
    expect(whole.choices[3].warmturn.resumed).toBe(1);
    const events = await stream(opened.target, body);
    const texts = ["", "", "", ""];
    for (const { choices } of events) for (const one of choices) texts[one.index] += one.text;
    expect(texts).toEqual(["aa1", "aa2", "bb1", "bb2"]);
    expect(events.filter(({ choices }) => choices[0].finish_reason === "stop")).toHaveLength(4);
  });

  test("echo: the prompt as its client wrote it", async () => {
    await using opened = open();
    for (const prompt of ["abc", [97, 98, 99], [97, "bc"]]) {
      const body = await json(await post(opened.target, { prompt, echo: true }));
      expect(body.choices[0].text).toBe("abchello");
    }
    const [first] = await stream(opened.target, { prompt: "abc", echo: true });
    expect(first.choices[0].text).toBe("abc");
  });

  test("a suffix is filled in front of, where the model can", async () => {
    await using opened = open();
    await post(opened.target, { prompt: "ab", suffix: "yz" });
    expect([...(opened.server.engine.runs[0]?.spec.plan.tokens ?? [])].slice(-7)).toEqual([
      1, 97, 98, 2, 121, 122, 3,
    ]);
    await using plain = open({ card: NO_FIM });
    const refused = await post(plain.target, { prompt: "ab", suffix: "yz" });
    const { error } = await json(refused);
    expect([refused.status, error.param]).toEqual([400, "suffix"]);
    expect(error.message).toContain("prefix token is missing");
    expect((await post(plain.target, { prompt: "ab", suffix: "" })).status).toBe(200);
  });

  test.each(
    BAD_COMPLETIONS.filter(([, , field]) => field !== "return_tokens" && !field?.startsWith("response")),
  )("%s is a 400 in OpenAI's form", async (_, body, param, says) => {
    await using opened = open();
    const response = await post(opened.target, body);
    const { error } = await json(response);
    expect([response.status, error.type, error.param]).toEqual([400, "invalid_request_error", param]);
    expect(error.message).toContain(says);
  });

  test.each<[object, string]>([
    [{ prompt: "x", best_of: 2 }, "best_of"],
    [{ prompt: "x", best_of: 1, n: 2 }, "best_of"],
    [{ prompt: "x", best_of: "all" }, "best_of"],
    [{ prompt: "x", n: 0 }, "n"],
    [{ prompt: "x", n: 33 }, "n"],
    [{ prompt: ["x", "y"], n: 17 }, "n"],
    [{ prompt: ["x", "y"], n_cmpl: 17 }, "n_cmpl"],
    [{ prompt: "x", echo: "yes" }, "echo"],
    [{ prompt: "x", suffix: 5 }, "suffix"],
    [{ prompt: [1], suffix: "y" }, "prompt"],
    [{ prompt: "x", suffix: "y", echo: true }, "echo"],
    [{ prompt: "x", stream_options: true }, "stream_options"],
  ])("%p is a 400 that names its field", async (body, param) => {
    await using opened = open();
    const response = await post(opened.target, body);
    expect([response.status, (await json(response)).error.param]).toEqual([400, param]);
    expect(opened.server.engine.runs).toEqual([]);
  });

  test("best_of that ranks nothing is taken", async () => {
    await using opened = open();
    expect((await post(opened.target, { prompt: "x", n: 2, best_of: 2 })).status).toBe(200);
  });

  test("a failure after the first byte is an event, and there is no [DONE]", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({
      text: "x",
      fail: { code: "evaluate-failed", message: "The GPU is gone." },
    });
    const { data } = await readSse(await post(opened.target, { prompt: "x", stream: true }));
    expect(JSON.parse(data.at(-1) ?? "").error).toMatchObject({
      message: "The GPU is gone.",
      type: "server_error",
    });
  });
});

describe("the openai package", () => {
  test("completions.create, whole and streamed, and what is wrong", async () => {
    const server = fakeServer({ apiKeys: ["secret"] });
    await using target = listening(server.app);
    const client = new OpenAI({ baseURL: `${target.url}/v1`, apiKey: "secret", maxRetries: 0 });
    const body = { model: FAKE_MODEL, prompt: "Once" };
    const whole = await client.completions.create(body);
    expect([whole.choices[0]?.text, whole.usage?.total_tokens]).toEqual(["hello", 9]);
    let text = "";
    for await (const { choices } of await client.completions.create({ ...body, stream: true })) {
      text += choices[0]?.text ?? "";
    }
    expect(text).toBe("hello");
    const failed = async (): Promise<unknown> => await client.completions.create({ ...body, prompt: [] });
    await expect(failed()).rejects.toThrow("400 prompt: must not be empty.");
    expect((await client.models.retrieve(FAKE_MODEL)).id).toBe(FAKE_MODEL);
    const other = async (): Promise<unknown> => await client.models.retrieve("other");
    await expect(other()).rejects.toThrow("404");
  });
});
