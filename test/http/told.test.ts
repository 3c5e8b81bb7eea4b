/** What is told beside a reply where it is asked for: progress, timings, what is kept; and prompts without replies. */
import { expect, test } from "bun:test";
import { json, type Loose, postChat, streamChat } from "../support/httpClient.ts";
import { onEachTarget, USER } from "./targets.ts";

onEachTarget("told beside the reply", (open) => {
  test("return_progress tells how far prefill is, before the text", async () => {
    await using opened = open();
    const body = { messages: USER, return_progress: true };
    const chunks = await streamChat(opened.target, body);
    const total = opened.server.engine.runs[0]?.spec.plan.tokens.length;
    expect(chunks[0]).toMatchObject({
      choices: [{ index: 0, delta: { role: "assistant", content: null }, finish_reason: null }],
      prompt_progress: { total, cache: 0, processed: 0, time_ms: 0 },
    });
    expect(chunks.filter(({ choices }) => choices[0].delta.role !== undefined)).toHaveLength(1);
    expect(chunks.slice(1).some((chunk) => "prompt_progress" in chunk)).toBe(false);
    const plain = await streamChat(opened.target, { messages: USER });
    expect(plain.some((chunk) => "prompt_progress" in chunk)).toBe(false);
    expect("prompt_progress" in (await json(await postChat(opened.target, body)))).toBe(false);
  });

  test("timings_per_token tells the timings so far with each chunk of text", async () => {
    await using opened = open();
    const chunks = await streamChat(opened.target, { messages: USER, timings_per_token: true });
    const texts = chunks.filter((chunk) => chunk.choices[0].delta.content);
    expect(texts.map((chunk: Loose) => chunk.timings?.predicted_n)).toEqual([1, 2, 3, 4, 5]);
    const plain = await streamChat(opened.target, { messages: USER });
    expect(plain.filter((chunk) => "timings" in chunk)).toEqual([plain.at(-1) as object]);
    expect(opened.server.engine.runs.map(({ spec }) => spec.reports)).toEqual([true, undefined]);
  });

  test("cache_prompt: false resumes nothing", async () => {
    await using opened = open();
    const { engine } = opened.server;
    engine.script = () => ({ report: { missReason: "not-asked" } });
    const answer = await json(
      await postChat(opened.target, { messages: USER, cache_prompt: false, id_slot: 3 }),
    );
    expect(answer.warmturn).toMatchObject({ miss: "not-asked", resumed: 0 });
    expect(answer.warmturn.why).toContain("cache_prompt is false");
    await postChat(opened.target, { messages: USER, cache_prompt: true });
    expect(engine.runs.map(({ spec }) => spec.resumes)).toEqual([false, undefined]);
  });
});

const NO_TOKENS: readonly (readonly [string, string, object])[] = [
  ["chat completions", "/v1/chat/completions", { messages: USER, max_tokens: 0 }],
  ["chat completions, llama-server's name", "/v1/chat/completions", { messages: USER, n_predict: 0 }],
  ["messages", "/v1/messages", { messages: USER, max_tokens: 0 }],
  ["responses", "/v1/responses", { input: "hi", max_output_tokens: 0 }],
];

onEachTarget("a request for no tokens", (open) => {
  test.each(NO_TOKENS)("%s: prefilled, kept, and told how much", async (_, path, body) => {
    await using opened = open();
    const { engine, jobs } = opened.server;
    engine.script = () => ({ text: "", reason: "prefilled", report: { keptTokens: 33 } });
    const response = await postChat(opened.target, body, { path });
    expect(response.status).toBe(200);
    const answer = await json(response);
    expect(engine.runs[0]?.spec.maxTokens).toBe(0);
    expect(answer.warmturn).toMatchObject({ kept: 33 });
    const empty: Record<string, object> = {
      "/v1/chat/completions": { choices: [{ message: { content: "" }, finish_reason: "length" }] },
      "/v1/messages": { content: [], stop_reason: "max_tokens", usage: { output_tokens: 0 } },
      "/v1/responses": { status: "incomplete", output: [], usage: { output_tokens: 0 } },
    };
    expect(answer).toMatchObject(empty[path] ?? {});
    await Bun.sleep(0);
    expect(jobs).toHaveLength(0);
  });

  test("streamed: an opening, an end, and nothing between", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "", reason: "prefilled", report: { keptTokens: 33 } });
    const chunks = await streamChat(opened.target, { messages: USER, max_tokens: 0 });
    expect(chunks.map(({ choices }) => choices[0].finish_reason)).toEqual([null, "length"]);
    expect(chunks[1]?.warmturn.kept).toBe(33);
  });
});
