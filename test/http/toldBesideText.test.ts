/** What prompts without messages are told beside their replies: probabilities, progress, timings, and what is used. */
import { expect, test } from "bun:test";
import { type HttpTarget, json, type Loose, postChat, readSse } from "../support/httpClient.ts";
import { onEachTarget } from "./targets.ts";

const LLAMA = "/completion";
const OPENAI = "/v1/completions";

async function stream(target: HttpTarget, path: string, body: object): Promise<Loose[]> {
  const { data } = await readSse(await postChat(target, { ...body, stream: true }, { path }));
  return data.filter((event) => event !== "[DONE]").map((event) => JSON.parse(event));
}

/** As the fake engine says them: of each token, and of as many others as are wanted. */
const LOGPROBS = {
  tokens: ["h", "i"],
  token_logprobs: [-0.5, -0.5],
  top_logprobs: [
    { a: -1, b: -2 },
    { a: -1, b: -2 },
  ],
  text_offset: [0, 1],
};

onEachTarget("what is told beside a text", (open) => {
  test("OpenAI's logprobs, whole and streamed", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "hi" });
    const body = { prompt: "x", logprobs: 2 };
    const whole = await json(await postChat(opened.target, body, { path: OPENAI }));
    expect(whole.choices[0].logprobs).toEqual(LOGPROBS);
    expect(opened.server.engine.runs[0]?.spec.probs).toEqual({ top: 2, afterSampling: false });
    const events = await stream(opened.target, OPENAI, body);
    const told = events.flatMap(({ choices }) => choices[0]?.logprobs ?? []);
    expect(told.map(({ tokens, text_offset }: Loose) => [tokens, text_offset])).toEqual([
      [["h"], [0]],
      [["i"], [1]],
    ]);
    const bare = await json(await postChat(opened.target, { prompt: "x" }, { path: OPENAI }));
    expect(bare.choices[0].logprobs).toBeNull();
    expect(opened.server.engine.runs.at(-1)?.spec.probs).toBeUndefined();
  });

  test("llama-server's n_probs, whole and streamed", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "hi" });
    const body = { prompt: "x", n_probs: 1 };
    const whole = await json(await postChat(opened.target, body, { path: LLAMA }));
    const expected = [..."hi"].map((token) => ({
      id: token.charCodeAt(0),
      token,
      bytes: [token.charCodeAt(0)],
      logprob: -0.5,
      top_logprobs: [{ id: 97, token: "a", bytes: [97], logprob: -1 }],
    }));
    expect(whole.completion_probabilities).toEqual(expected);
    const events = await stream(opened.target, LLAMA, body);
    expect(events.map(({ completion_probabilities: probs }) => probs ?? [])).toEqual([
      [expected[0]],
      [expected[1]],
      [],
    ]);
  });

  test("a stop string's tokens are not told", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "hi!", hold: "decode" });
    const body = { prompt: "x", n_probs: 1, stop: ["i!"] };
    const whole = await json(await postChat(opened.target, body, { path: LLAMA }));
    expect(whole.completion_probabilities.map(({ token }: Loose) => token)).toEqual(["h"]);
  });

  test("progress and timings, where they are wanted", async () => {
    await using opened = open();
    for (const path of [LLAMA, OPENAI]) {
      const wanted = { prompt: "Once", return_progress: true, timings_per_token: true };
      const events = await stream(opened.target, path, wanted);
      const progress = events.flatMap((event) => event.prompt_progress ?? []);
      expect(progress).toMatchObject([{ total: 4, cache: 0, processed: 0 }]);
      expect(events.filter((event) => event.timings !== undefined).length).toBeGreaterThan(1);
      const bare = await stream(opened.target, path, { prompt: "Once" });
      expect(bare.flatMap((event) => event.prompt_progress ?? [])).toEqual([]);
      expect(bare.filter((event) => event.timings !== undefined)).toHaveLength(1);
    }
  });

  test("cache_prompt false resumes nothing", async () => {
    await using opened = open();
    await postChat(opened.target, { prompt: "x", cache_prompt: false }, { path: LLAMA });
    expect(opened.server.engine.runs[0]?.spec.resumes).toBe(false);
  });

  test("choices of one prompt are one turn of one conversation, and the first is warmed", async () => {
    await using opened = open();
    const warmed = new Promise((resolve) => {
      opened.server.onRawJob = (job) => resolve(job.conversation);
    });
    const body = { prompt: "Once upon a time", n: 3 };
    await json(await postChat(opened.target, body, { path: OPENAI }));
    const [first, ...more] = opened.server.engine.runs.map(({ spec }) => spec.conversation);
    expect(more).toEqual([first, first] as never);
    expect(await warmed).toEqual(first as never);
    expect(opened.server.rawJobs).toHaveLength(1);
  });

  test.each<[string, object, string]>([
    [OPENAI, { logprobs: true }, "logprobs"],
    [OPENAI, { logprobs: 21 }, "logprobs"],
    [OPENAI, { logprobs: -1 }, "logprobs"],
    [OPENAI, { logprobs: 1, echo: true }, "logprobs"],
    [LLAMA, { n_probs: "all" }, "n_probs"],
    [LLAMA, { n_probs: 1e9 }, "n_probs"],
    [LLAMA, { post_sampling_probs: 1 }, "post_sampling_probs"],
    [LLAMA, { timings_per_token: "yes" }, "timings_per_token"],
    [LLAMA, { return_progress: 1 }, "return_progress"],
    [LLAMA, { cache_prompt: 0 }, "cache_prompt"],
  ])("%s with %p is a 400 that names its field", async (path, more, param) => {
    await using opened = open();
    const response = await postChat(opened.target, { prompt: "x", ...more }, { path });
    expect([response.status, (await json(response)).error.param]).toEqual([400, param]);
  });
});
