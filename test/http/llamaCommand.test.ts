/** llama-server's endpoints over a real model: from source, or the executable where WARMTURN_TEST_BINARY names it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { commandName, type ServedCommand, serveCommand } from "../support/Command.ts";
import { get, json, type Loose, postChat, readSse } from "../support/httpClient.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";
import { BAD_COMPLETIONS } from "./badCompletions.ts";

describe(`llama-server's endpoints (${commandName})`, () => {
  let server: ServedCommand;
  let path: string;

  beforeAll(async () => {
    ({ path } = await tinyModel("qwen3"));
    server = await serveCommand([
      "-m",
      path,
      "-t",
      "1",
      "-np",
      "1",
      "-c",
      "2048",
      "--alias",
      "tiny",
      "--metrics",
    ]);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  const post = (path: string, body: unknown): Promise<Response> => postChat(server, body, { path });
  const answer = async (path: string, body: unknown): Promise<Loose> => await json(await post(path, body));

  test.each(BAD_COMPLETIONS)("%s is a 400", async (_, body, param, says) => {
    const response = await post("/completion", body);
    const { error } = await json(response);
    expect([response.status, error.type, error.param]).toEqual([400, "invalid_request_error", param]);
    expect(error.message).toContain(says);
  });

  test("the stream, collected, is the whole answer, in both protocols", async () => {
    const body = { prompt: "Once upon a time", n_predict: 24, temperature: 0, ignore_eos: true };
    const whole = await answer("/completion", { ...body, return_tokens: true });
    const streamed = await readSse(await post("/completion", { ...body, stream: true }));
    const events: Loose[] = streamed.data.map((data) => JSON.parse(data));
    expect(events.map(({ content }) => content).join("")).toBe(whole.content);
    expect(events.flatMap(({ tokens }) => tokens)).toEqual(whole.tokens);
    expect([whole.tokens_predicted, whole.stop_type]).toEqual([24, "limit"]);
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
    const { ignore_eos, temperature } = body;
    const asked = { model: "tiny", prompt: body.prompt, max_tokens: 24, temperature, ignore_eos };
    const text = await client.completions.create(asked);
    expect(text.choices[0]?.text).toBe(whole.content);
    expect(text.choices[0]?.finish_reason).toBe("length");
  });

  test("a prompt is its tokens, and tokens are their text", async () => {
    const content = "<|im_start|>user\nGrüße, 世界!<|im_end|>";
    const { tokens } = await answer("/tokenize", { content });
    expect((await answer("/detokenize", { tokens })).content).toBe(content);
    const plain = (await answer("/tokenize", { content, parse_special: false })).tokens;
    expect(plain.length).toBeGreaterThan(tokens.length);
    expect((await answer("/detokenize", { tokens: plain })).content).toBe(content);
    const pieces = (await answer("/tokenize", { content, with_pieces: true })).tokens;
    expect(pieces.map(({ id }: Loose) => id)).toEqual(tokens);
    const bodies = [content, tokens].map((prompt) => ({ prompt, n_predict: 8, temperature: 0 }));
    const [text, ids] = [await answer("/completion", bodies[0]), await answer("/completion", bodies[1])];
    expect([ids.content, ids.tokens_evaluated]).toEqual([text.content, tokens.length]);
    expect(text.prompt).toBe(content);
  });

  test("a template that is applied gives the tokens of the chat", async () => {
    const messages = [{ role: "user", content: "hi <|im_end|>" }];
    const { prompt } = await answer("/apply-template", { messages });
    expect(prompt).toContain("<|im_start|>user\nhi");
    const chat = await answer("/v1/chat/completions", { messages, max_tokens: 0 });
    expect(chat.usage.prompt_tokens).toBeGreaterThan(0);
    // What the message spells is data in the chat, and a token where the client writes the prompt itself.
    expect((await answer("/tokenize", { content: prompt })).tokens.length).toBeLessThan(
      chat.usage.prompt_tokens,
    );
  });

  test("a prompt that was a chat's is cut like it, and resumed where that left its state", async () => {
    const messages = [
      { role: "user", content: "Tell me of the workshop at the end of the lane. ".repeat(20) },
    ];
    const chat = await answer("/v1/chat/completions", { messages, max_tokens: 8, temperature: 0 });
    const { prompt } = await answer("/apply-template", { messages });
    const raw = await answer("/completion", { prompt, n_predict: 8, temperature: 0 });
    expect(raw.tokens_evaluated).toBe(chat.usage.prompt_tokens);
    expect(raw.warmturn.miss).toBe("none");
    expect(raw.warmturn.resumed).toBeGreaterThan(100);
  });

  test("properties, slots, metrics, and a model that cannot fill in", async () => {
    const props = await json(await get(server, "/props"));
    expect(props).toMatchObject({ model_path: path, model_alias: "tiny", total_slots: 1 });
    expect(props.default_generation_settings.n_ctx).toBe(2048);
    expect(props.chat_template).toContain("<|im_start|>");
    expect(props.build_info).toContain("llama.cpp");
    expect((await json(await get(server, "/slots"))).length).toBe(1);
    expect(await (await get(server, "/metrics")).text()).toMatch(/^llamacpp:prompt_tokens_total [1-9]/m);
    expect((await post("/infill", { input_prefix: "a", input_suffix: "b" })).status).toBe(501);
  });
});
