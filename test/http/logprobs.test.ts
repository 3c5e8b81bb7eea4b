/** `logprobs` and `n_probs`: every token of the reply, in step with its text, whole and streamed. */
import { expect, test } from "bun:test";
import { json, type Loose, postChat, streamChat } from "../support/httpClient.ts";
import { onEachTarget, USER } from "./targets.ts";

const TOP_2 = [
  { id: 97, token: "a", bytes: [97], logprob: -1 },
  { id: 98, token: "b", bytes: [98], logprob: -2 },
];

/** What the chunks of a stream say, put together. */
function contentOf(chunks: readonly Loose[]): Loose[] {
  return chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? []);
}

const textOf = (content: readonly Loose[]): string =>
  Buffer.from(content.flatMap((one) => one.bytes as number[])).toString();

onEachTarget("logprobs", (open) => {
  test("of each token: text, bytes, logarithm, and the likeliest", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "hé" });
    const body = { messages: USER, logprobs: true, top_logprobs: 2 };
    const [{ logprobs }] = (await json(await postChat(opened.target, body))).choices;
    expect(logprobs).toEqual({
      content: [
        { id: 104, token: "h", bytes: [104], logprob: -0.5, top_logprobs: TOP_2 },
        { id: 195, token: "�", bytes: [195], logprob: -0.5, top_logprobs: TOP_2 },
        { id: 169, token: "�", bytes: [169], logprob: -0.5, top_logprobs: TOP_2 },
      ],
      refusal: null,
    });
    expect(contentOf(await streamChat(opened.target, body))).toEqual(logprobs.content);
    expect(opened.server.engine.runs[0]?.spec.probs).toEqual({ top: 2, afterSampling: false });
  });

  test("of reasoning and calls, too, whatever is held back meanwhile", async () => {
    await using opened = open();
    const text =
      '<think>\nhm\n</think>\n\nSo: <b>\n\n<tool_call>\n{"name": "add", "arguments": {}}\n</tool_call>';
    opened.server.engine.script = () => ({ text });
    const tools = [{ type: "function", function: { name: "add", parameters: { type: "object" } } }];
    const body = { messages: USER, tools, logprobs: true, stop: ["nowhere"] };
    const [choice] = (await json(await postChat(opened.target, body))).choices;
    expect(choice.message.tool_calls).toHaveLength(1);
    expect(textOf(choice.logprobs.content)).toBe(text);
    expect(choice.logprobs.content[0].top_logprobs).toEqual([]);
    expect(textOf(contentOf(await streamChat(opened.target, body)))).toBe(text);
  });

  test("of a stop string, none", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "one two STOP three" });
    const body = { messages: USER, logprobs: true, stop: ["STOP"] };
    const [choice] = (await json(await postChat(opened.target, body))).choices;
    expect(choice.message.content).toBe("one two");
    expect(textOf(choice.logprobs.content)).toBe("one two ");
    expect(textOf(contentOf(await streamChat(opened.target, body)))).toBe("one two ");
  });

  test("llama-server's n_probs is the same; after sampling they are probabilities", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "h" });
    const [plain] = (await json(await postChat(opened.target, { messages: USER, n_probs: 2 }))).choices;
    expect(plain.logprobs.content[0]).toMatchObject({ logprob: -0.5, top_logprobs: TOP_2 });
    const body = { messages: USER, n_probs: 1, post_sampling_probs: true };
    const [after] = (await json(await postChat(opened.target, body))).choices;
    expect(after.logprobs.content[0]).toEqual({
      id: 104,
      token: "h",
      bytes: [104],
      prob: -0.5,
      top_probs: [{ id: 97, token: "a", bytes: [97], prob: -1 }],
    });
    expect(opened.server.engine.runs[1]?.spec.probs).toEqual({ top: 1, afterSampling: true });
  });

  test("where nobody asks, the engine is not asked, and they are null", async () => {
    await using opened = open();
    const body = { messages: USER, logprobs: false, n_probs: 0 };
    const [choice] = (await json(await postChat(opened.target, body))).choices;
    expect(choice.logprobs).toBeNull();
    expect(opened.server.engine.runs[0]?.spec.probs).toBeUndefined();
    for (const chunk of await streamChat(opened.target, body)) expect(chunk.choices[0].logprobs).toBeNull();
  });
});
