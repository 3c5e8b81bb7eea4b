/** What llama-server tells of itself and its model: tokens, templates, properties, slots, metrics. */
import { expect, test } from "bun:test";
import { version } from "../../package.json";
import { FAKE_MODEL } from "../support/FakeServer.ts";
import { get, type HttpTarget, json, type Loose, postChat } from "../support/httpClient.ts";
import { onEachTarget, USER } from "./targets.ts";

const post = (target: HttpTarget, path: string, body: unknown): Promise<Response> =>
  postChat(target, body, { path });

onEachTarget("llama-server's endpoints", (open) => {
  test("/tokenize", async () => {
    await using opened = open({ card: { eos: 7 } });
    const tokens = async (body: object): Promise<Loose> =>
      (await json(await post(opened.target, "/tokenize", body))).tokens;
    expect(await tokens({ content: "ab" })).toEqual([97, 98]);
    expect(await tokens({ content: "" })).toEqual([]);
    expect(await tokens({ content: [1, "a"] })).toEqual([1, 97]);
    expect(await tokens({ content: "a", add_special: true })).toEqual([97, 7]);
    expect(await tokens({ content: "é", with_pieces: true })).toEqual([
      { id: 0xc3, piece: [0xc3] },
      { id: 0xa9, piece: [0xa9] },
    ]);
    expect(await tokens({ content: "a", with_pieces: true })).toEqual([{ id: 97, piece: "a" }]);
  });

  test("/tokenize takes no more than it can without holding the server up", async () => {
    await using opened = open({ limits: { tokenizeCharsMax: 3 } });
    expect((await post(opened.target, "/tokenize", { content: ["ab", 1, "c"] })).status).toBe(200);
    const response = await post(opened.target, "/tokenize", { content: ["ab", 1, "cd"] });
    expect([response.status, (await json(response)).error.param]).toEqual([400, "content"]);
  });

  test("/detokenize", async () => {
    await using opened = open();
    const content = async (tokens: number[]): Promise<string> =>
      (await json(await post(opened.target, "/detokenize", { tokens }))).content;
    expect(await content([104, 0xc3, 0xa9])).toBe("hé");
    expect(await content([])).toBe("");
    expect(await content([0xff])).toBe("\ufffd");
  });

  test("/apply-template: the prompt that chat is answered from", async () => {
    await using opened = open();
    const body = { messages: USER, chat_template_kwargs: { enable_thinking: false } };
    const { prompt } = await json(await post(opened.target, "/apply-template", body));
    expect(prompt).toBe("<user>hi");
    await postChat(opened.target, body);
    expect(opened.server.prompts[0]).toEqual(opened.server.prompts[1] as never);
    expect(
      new TextDecoder().decode(Uint8Array.from(opened.server.engine.runs[0]?.spec.plan.tokens ?? [])),
    ).toBe(prompt);
  });

  test.each<[string, unknown, string | null]>([
    ["/tokenize", {}, "content"],
    ["/tokenize", { content: 5 }, "content"],
    ["/tokenize", { content: [256] }, "content[0]"],
    ["/tokenize", { content: [null] }, "content[0]"],
    ["/tokenize", { content: "a", add_special: 1 }, "add_special"],
    ["/tokenize", { content: "a", parse_special: "no" }, "parse_special"],
    ["/tokenize", { content: "a", with_pieces: [] }, "with_pieces"],
    ["/tokenize", "[", null],
    ["/detokenize", {}, "tokens"],
    ["/detokenize", { tokens: "a" }, "tokens"],
    ["/detokenize", { tokens: [1, "a"] }, "tokens[1]"],
    ["/detokenize", { tokens: [-1] }, "tokens[0]"],
    ["/detokenize", { tokens: [256] }, "tokens[0]"],
    ["/apply-template", {}, "messages"],
    ["/apply-template", { messages: [] }, "messages"],
    ["/lora-adapters", {}, "body"],
    ["/lora-adapters", [{ id: 0, scale: 1 }], "[0].id"],
    ["/lora-adapters", [1], "[0]"],
  ])("%s refuses %p by name", async (path, body, param) => {
    await using opened = open();
    const response = await post(opened.target, path, body);
    expect([response.status, (await json(response)).error]).toMatchObject([
      400,
      { code: 400, type: "invalid_request_error", param },
    ]);
  });

  test("/props", async () => {
    await using opened = open({ card: { toolUseTemplate: "{{ tools }}", bosText: "<s>" } });
    const props = await json(await get(opened.target, "/props"));
    expect(props).toMatchObject({
      default_generation_settings: {
        n_ctx: 4096,
        params: { n_predict: -1, top_k: 40, samplers: expect.anything() },
      },
      total_slots: 1,
      model_alias: FAKE_MODEL,
      model_path: "/models/fake.gguf",
      modalities: { vision: false, audio: false },
      endpoint_slots: true,
      endpoint_metrics: false,
      chat_template: "{{ messages }}",
      chat_template_tool_use: "{{ tools }}",
      chat_template_caps: { supports_tool_calls: true, supports_system_role: true },
      bos_token: "<s>",
      eos_token: "<eos>",
      build_info: "warmturn test",
    });
    const changed = await post(opened.target, "/props", {});
    expect([changed.status, (await json(changed)).error.type]).toEqual([501, "not_supported_error"]);
  });

  test("/slots: what runs, and what ran", async () => {
    await using opened = open({ ready: { lanes: 2 } });
    const { engine } = opened.server;
    const slots = async (): Promise<Loose> => await json(await get(opened.target, "/slots"));
    expect(await slots()).toEqual([
      { id: 0, n_ctx: 4096, speculative: false, is_processing: false },
      { id: 1, n_ctx: 4096, speculative: false, is_processing: false },
    ]);
    engine.script = () => ({ text: "abc", hold: "decode" });
    const started = engine.nextRun();
    const answer = post(opened.target, "/completion", { prompt: "Once", n_predict: 9, temperature: 0.5 });
    const run = await started;
    await run.held;
    const [first, second] = await slots();
    expect(first).toMatchObject({
      is_processing: true,
      id_task: 1,
      n_prompt_tokens: 4,
      params: { temperature: 0.5, n_predict: 9 },
      next_token: [{ has_next_token: true, n_decoded: 3, n_remain: 6 }],
    });
    expect(second.is_processing).toBe(false);
    expect((await get(opened.target, "/slots?fail_on_no_slot=1")).status).toBe(200);
    run.release();
    expect((await answer).status).toBe(200);
    expect((await slots())[0]).toMatchObject({ is_processing: false, id_task: 1 });
  });

  test("/slots tells whose request it is by the key's name", async () => {
    await using opened = open({ apiKeys: ["s3cret"] });
    const headers = { authorization: "Bearer s3cret" };
    await postChat(opened.target, { messages: USER }, { headers });
    const text = await (await get(opened.target, "/slots", { headers })).text();
    expect(JSON.parse(text)[0].key).toBe("name-of-s3cret");
    expect(text.replace("name-of-s3cret", "")).not.toContain("s3cret");
  });

  test("/slots with no slot left, and switched off", async () => {
    await using opened = open();
    const { engine } = opened.server;
    engine.script = () => ({ text: "a", hold: "decode" });
    const started = engine.nextRun();
    const answer = postChat(opened.target, { messages: USER });
    const run = await started;
    await run.held;
    const full = await get(opened.target, "/slots?fail_on_no_slot=1");
    expect([full.status, (await json(full)).error.type]).toEqual([503, "unavailable_error"]);
    expect((await get(opened.target, "/slots")).status).toBe(200);
    run.release();
    await answer;
    await using off = open({ endpoints: { slots: false, metrics: false } });
    const refused = await get(off.target, "/slots");
    expect([refused.status, (await json(refused)).error.type]).toEqual([501, "not_supported_error"]);
    const action = await post(opened.target, "/slots/0?action=save", { filename: "a" });
    expect([action.status, (await json(action)).error.type]).toEqual([501, "not_supported_error"]);
  });

  test("/metrics, only where it is switched on", async () => {
    await using opened = open();
    expect((await get(opened.target, "/metrics")).status).toBe(501);
    await using on = open({ endpoints: { slots: true, metrics: true } });
    const report = { promptMs: 500, predictedMs: 2000, resumedTokens: 1, prefilledTokens: 3 };
    on.server.engine.script = () => ({ text: "hello", report });
    await (await post(on.target, "/completion", { prompt: "Once" })).text();
    const response = await get(on.target, "/metrics");
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4");
    const text = await response.text();
    const value = (name: string): number =>
      Number(new RegExp(`^llamacpp:${name} (.*)$`, "m").exec(text)?.[1]);
    expect(value("prompt_tokens_total")).toBe(3);
    expect(value("prompt_tokens_cached_total")).toBe(1);
    expect(value("prompt_seconds_total")).toBe(0.5);
    expect(value("tokens_predicted_total")).toBe(5);
    expect(value("predicted_tokens_seconds")).toBe(2.5);
    expect(value("n_tokens_max")).toBe(9);
    expect([value("requests_processing"), value("requests_deferred")]).toEqual([0, 0]);
    for (const line of text.trim().split("\n"))
      expect(line).toMatch(/^$|^(# (HELP|TYPE) |)(llamacpp:|warmturn_)\w+/);
  });

  test("no adapters, and the version", async () => {
    await using opened = open();
    expect(await json(await get(opened.target, "/lora-adapters"))).toEqual([]);
    expect(await json(await post(opened.target, "/lora-adapters", []))).toEqual({ success: true });
    expect(await json(await get(opened.target, "/version"))).toEqual({ version });
  });

  test("all of them want a key, and a model that is loaded", async () => {
    await using opened = open({ apiKeys: ["one"] });
    const gets = ["/props", "/slots", "/metrics", "/lora-adapters", "/version"];
    const posts = [
      "/tokenize",
      "/detokenize",
      "/apply-template",
      "/infill",
      "/props",
      "/slots/0",
      "/lora-adapters",
    ];
    const headers = { authorization: "Bearer one" };
    const ask = (headers: Record<string, string>): Promise<Response[]> =>
      Promise.all([
        ...gets.map((path) => get(opened.target, path, { headers })),
        ...posts.map((path) => postChat(opened.target, {}, { path, headers })),
      ]);
    for (const response of await ask({})) {
      expect([response.status, (await json(response)).error.type]).toEqual([401, "authentication_error"]);
    }
    opened.server.phase = "loading";
    for (const response of await ask(headers)) {
      expect([response.status, (await json(response)).error.type]).toEqual([503, "unavailable_error"]);
    }
  });
});
