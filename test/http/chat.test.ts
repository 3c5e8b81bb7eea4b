import { expect, test } from "bun:test";
import { fakeReport } from "../support/FakeEngine.ts";
import { FAKE_MODEL } from "../support/FakeServer.ts";
import { collect, json, postChat, readSse, streamChat } from "../support/httpClient.ts";
import { ADD_TOOL, onEachTarget, USER } from "./targets.ts";

const REPLY =
  "<think>\nlet me add\n</think>\n\nSure. é🙂\n\n" +
  '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2.0}}\n</tool_call>\n' +
  '<tool_call>\n{"name": "add", "arguments": {}}\n</tool_call>';

onEachTarget("chat completions", (open) => {
  test("a whole answer", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({
      text: " hello \n",
      report: {
        resumedTokens: 5,
        warmedTokens: 4,
        prefilledTokens: 3,
        missReason: "tokens-differ",
        missAt: 7,
      },
    });
    const response = await postChat(opened.target, { model: "anything", messages: USER });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("application/json");
    const body = await json(response);
    expect(body).toMatchObject({
      object: "chat.completion",
      model: "anything",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "hello" } }],
      usage: {
        completion_tokens: 8,
        prompt_tokens_details: { cached_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
      timings: { cache_n: 5, prompt_n: 3, prompt_ms: 1, predicted_n: 8, predicted_per_second: 8000 },
      warmturn: { resumed: 5, warmed: 4, prefilled: 3, miss: "tokens-differ", miss_at: 7, source: "none" },
    });
    expect(body.warmturn.why).toContain("other tokens");
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + 8);
    expect("tool_calls" in body.choices[0].message).toBe(false);
  });

  test("the stream, collected, is the whole answer", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: REPLY });
    const body = { messages: USER, tools: [ADD_TOOL], stream_options: { include_usage: true } };
    const whole = await json(await postChat(opened.target, body));
    const chunks = await streamChat(opened.target, body);
    const all = collect(chunks);
    const { message, finish_reason } = whole.choices[0];
    expect(message.content).toBe("Sure. é🙂");
    expect(all.content).toBe(message.content);
    expect(all.reasoning).toBe("let me add");
    expect(all.reasoning).toBe(message.reasoning_content);
    expect(all.calls.map(({ name, arguments: args }) => ({ name, args }))).toEqual(
      message.tool_calls.map((call: { function: { name: string; arguments: string } }) => ({
        name: call.function.name,
        args: call.function.arguments,
      })),
    );
    expect(all.calls[0]?.arguments).toBe('{"a": 1, "b": 2.0}');
    expect(new Set(all.calls.map((call) => call.id)).size).toBe(2);
    expect(all.finishes).toEqual([finish_reason]);
    expect(finish_reason).toBe("tool_calls");
    expect(all.usage).toEqual(whole.usage);
    expect(all.timings).toEqual(whole.timings);
    expect(all.warmturn).toEqual(whole.warmturn);
    expect(whole.usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(10);
  });

  test("the form of the chunks", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: REPLY });
    const chunks = await streamChat(opened.target, { messages: USER, tools: [ADD_TOOL] });
    expect(chunks[0].choices[0].delta).toEqual({ role: "assistant", content: null });
    const deltas = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    const firsts = deltas.filter((delta) => delta.id !== undefined);
    expect(firsts.map((delta) => delta.index)).toEqual([0, 1]);
    expect(firsts[0]).toMatchObject({ type: "function", function: { name: "add", arguments: "" } });
    expect(deltas.some((delta) => delta.function.arguments === "" && delta.id === undefined)).toBe(false);
    // Without include_usage there is no chunk without choices.
    expect(chunks.every((chunk) => chunk.choices.length === 1)).toBe(true);
    const [id] = new Set(chunks.map((chunk) => chunk.id));
    expect(id).toStartWith("chatcmpl-");
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect(new Set(chunks.map((chunk) => chunk.object))).toEqual(new Set(["chat.completion.chunk"]));
  });

  test("arguments are streamed as they come", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: REPLY });
    const chunks = await streamChat(opened.target, { messages: USER, tools: [ADD_TOOL] });
    const parts = chunks
      .flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])
      .filter((d) => d.index === 0);
    expect(parts.length).toBeGreaterThan(10);
  });

  test("finish reasons: length, a stop string, reasoning that the prompt opened", async () => {
    await using opened = open({ opensReasoning: true });
    const { engine } = opened.server;
    engine.script = () => ({ text: "hm</think>one two", reason: "length" });
    const length = await json(await postChat(opened.target, { messages: USER }));
    expect(length.choices[0]).toMatchObject({
      finish_reason: "length",
      message: { reasoning_content: "hm", content: "one two" },
    });
    engine.script = () => ({ text: "hm</think>one STOP two", hold: "decode" });
    const stopped = await json(await postChat(opened.target, { messages: USER, stop: ["STOP", "nope"] }));
    expect(stopped.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "one" } });
    expect(engine.runs.at(-1)?.isCancelled).toBe(true);
  });

  test("a call that is cut off finishes with length", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({
      text: '<tool_call>\n{"name": "add", "arguments": {"a": 1',
      reason: "length",
    });
    const body = await json(await postChat(opened.target, { messages: USER, tools: [ADD_TOOL] }));
    expect(body.choices[0].finish_reason).toBe("length");
    expect(body.choices[0].message.tool_calls[0].function.arguments).toBe('{"a": 1');
  });

  test("with tool_choice none a call that came all the same is text, and the tools are rendered", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: REPLY });
    const none = { messages: USER, tools: [ADD_TOOL], tool_choice: "none" };
    const body = await json(await postChat(opened.target, none));
    expect(body.choices[0].message.content).toContain("<tool_call>");
    expect(body.choices[0].finish_reason).toBe("stop");
    expect(opened.server.prompts[0]?.tools.map(({ name }) => name)).toEqual(["add"]);
  });

  test("an answer without a word", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: " \n" });
    const body = await json(await postChat(opened.target, { messages: USER }));
    expect(body.choices[0].message.content).toBe("");
    const all = collect(await streamChat(opened.target, { messages: USER }));
    expect([all.role, all.content, all.finishes]).toEqual(["assistant", "", ["stop"]]);
  });

  test("what reaches the engine", async () => {
    await using opened = open();
    const { engine } = opened.server;
    await postChat(opened.target, { messages: USER });
    expect(engine.runs[0]?.spec).toMatchObject({
      purpose: "request",
      tenant: "",
      maxTokens: Number.POSITIVE_INFINITY,
      conversation: { turn: 1 },
      sampling: {
        temperature: 0.8,
        topK: 40,
        topP: 0.95,
        minP: 0.05,
        repeatPenalty: 1,
        repeatLastN: 64,
        presencePenalty: 0,
        frequencyPenalty: 0,
        logitBias: [],
        ignoreEos: false,
      },
    });
    expect(engine.runs[0]?.spec.sampling?.grammar).toBeUndefined();
    await postChat(opened.target, {
      messages: USER,
      temperature: 0,
      seed: 7,
      max_tokens: 9,
      max_completion_tokens: 5,
      logit_bias: { 3: -100, 4: 2.5 },
      grammar: 'root ::= "x"',
      ignore_eos: true,
      top_k: 1,
      unknown_field: { a: [1] },
    });
    expect(engine.runs[1]?.spec).toMatchObject({
      maxTokens: 5,
      sampling: {
        temperature: 0,
        seed: 7,
        topK: 1,
        grammar: 'root ::= "x"',
        ignoreEos: true,
        logitBias: [
          { token: 3, bias: -100 },
          { token: 4, bias: 2.5 },
        ],
      },
    });
    await postChat(opened.target, { messages: USER, n_predict: -1, logit_bias: [[5, false]] });
    expect(engine.runs[2]?.spec.maxTokens).toBe(Number.POSITIVE_INFINITY);
    expect(engine.runs[2]?.spec.sampling?.logitBias).toEqual([{ token: 5, bias: Number.NEGATIVE_INFINITY }]);
  });

  test("template settings", async () => {
    await using opened = open();
    const kwargs = async (body: object): Promise<Record<string, unknown>> => {
      await postChat(opened.target, { messages: USER, ...body });
      return Object.fromEntries(opened.server.prompts.at(-1)?.kwargs ?? []);
    };
    expect(await kwargs({})).toEqual({ enable_thinking: true });
    expect(await kwargs({ chat_template_kwargs: { enable_thinking: false, x: "y" } })).toEqual({
      enable_thinking: false,
      x: "y",
    });
    expect(await kwargs({ reasoning_effort: "none" })).toEqual({
      enable_thinking: false,
      reasoning_effort: "none",
    });
    expect(await kwargs({ reasoning_effort: "high" })).toMatchObject({ reasoning_effort: "high" });
  });

  test("forced calls get a grammar, free ones one that waits", async () => {
    await using opened = open();
    const { engine } = opened.server;
    const tools = [ADD_TOOL, { type: "function", function: { name: "other" } }];
    const grammarOf = async (body: object): Promise<string | undefined> => {
      await postChat(opened.target, { messages: USER, tools, ...body });
      return engine.runs.at(-1)?.spec.sampling?.grammar;
    };
    const named = { type: "function", function: { name: "other" } };
    const required = await grammarOf({ tool_choice: "required" });
    expect(required).toContain('"add"');
    expect(required).toContain('"other"');
    expect(engine.runs.at(-1)?.spec.sampling?.grammarTrigger).toBeUndefined();
    const one = await grammarOf({ tool_choice: named, parallel_tool_calls: false });
    expect(one).not.toContain('"add"');
    expect(one).not.toContain("call)*");
    expect(required).toContain("call)*");
    expect(await grammarOf({})).toContain('"add"');
    expect(engine.runs.at(-1)?.spec.sampling?.grammarTrigger?.text).toBe("<tool_call>");
    expect(await grammarOf({ tool_choice: "none" })).not.toContain('"add"');
    expect(engine.runs.at(-1)?.spec.sampling?.grammarTrigger).toBeUndefined();
    expect(await grammarOf({ grammar: 'root ::= "x"' })).toBe('root ::= "x"');
  });

  test("an answer of a schema gets a grammar", async () => {
    await using opened = open();
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    for (const body of [
      { response_format: { type: "json_schema", json_schema: { name: "a", strict: true, schema } } },
      { response_format: { type: "json_object", schema } },
      { response_format: { type: "json_schema", schema } },
      { json_schema: schema },
    ]) {
      await postChat(opened.target, { messages: USER, ...body });
      expect(opened.server.engine.runs.at(-1)?.spec.sampling?.grammar).toContain('"\\"city\\""');
    }
    await postChat(opened.target, { messages: USER, response_format: { type: "json_object" } });
    expect(opened.server.engine.runs.at(-1)?.spec.sampling?.grammar).toContain("object ::=");
    await postChat(opened.target, { messages: USER, response_format: { type: "text" } });
    expect(opened.server.engine.runs.at(-1)?.spec.sampling?.grammar).toBeUndefined();
  });

  test("the same conversation, and its warm work is dropped on arrival", async () => {
    await using opened = open();
    const { engine } = opened.server;
    const long = "x".repeat(200);
    const first = [{ role: "user", content: long }];
    await postChat(opened.target, { messages: first });
    const next = [...first, { role: "assistant", content: "hello" }, { role: "user", content: "more" }];
    await postChat(opened.target, { messages: next });
    const [a, b] = engine.runs.map((run) => run.spec.conversation);
    expect(b?.id).toBe(a?.id ?? "");
    expect([a?.turn, b?.turn]).toEqual([1, 2]);
    expect(engine.dropped).toEqual([a?.id ?? "", a?.id ?? ""]);
    expect(opened.server.dropped).toEqual(engine.dropped);
  });

  test("debug hashes", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "x", report: { logitsHash: "aa", tokensHash: "bb" } });
    const body = await json(await postChat(opened.target, { messages: USER }));
    expect(body.warmturn).toMatchObject({ logits_hash: "aa", tokens_hash: "bb" });
    expect(fakeReport({}).logitsHash).toBeUndefined();
  });

  test("integer-like keys and digits survive to the prompt", async () => {
    await using opened = open();
    const args = '{"b":1.0,"2":1e5,"1":12345678901234567890}';
    const call = { id: "c1", type: "function", function: { name: "f", arguments: args } };
    await postChat(opened.target, {
      messages: [
        ...USER,
        { role: "assistant", tool_calls: [call] },
        { role: "tool", tool_call_id: "c1", content: "3" },
      ],
    });
    const message = opened.server.prompts[0]?.messages[1];
    const sent = message?.role === "assistant" ? message.toolCalls[0]?.arguments : undefined;
    expect(sent instanceof Map ? [...sent] : sent).toEqual([
      ["b", { raw: "1.0" }],
      ["2", { raw: "1e5" }],
      ["1", { raw: "12345678901234567890" }],
    ]);
  });

  test("the first bytes go out as soon as the run is accepted, and silence is kept alive", async () => {
    await using opened = open();
    const { engine, clock } = opened.server;
    engine.script = () => ({ text: "hi", hold: "prefill" });
    const started = engine.nextRun();
    const response = await postChat(opened.target, { messages: USER, stream: true });
    const run = await started;
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    const more = async (): Promise<string> => decoder.decode((await reader?.read())?.value);
    expect(await more()).toBe(": accepted\n\n");
    for (let i = 0; i < 2; i += 1) {
      while (clock.timers === 0) await Bun.sleep(0);
      clock.advance(10_000);
      expect(await more()).toBe(": keep-alive\n\n");
    }
    run.release();
    let rest = "";
    for (let part = await more(); part !== ""; part = await more()) rest += part;
    expect(rest).toContain('"content":"h"');
    expect(rest).toEndWith("data: [DONE]\n\n");
  });

  test("a failure in the middle is an event, then the stream ends", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({
      text: "partly",
      fail: { code: "evaluate-failed", message: "The GPU fell off." },
    });
    const streamed = await readSse(await postChat(opened.target, { messages: USER, stream: true }));
    expect(JSON.parse(streamed.data.at(-1) ?? "")).toEqual({
      error: { message: "The GPU fell off.", type: "server_error", param: null, code: "engine_failed" },
    });
    const whole = await postChat(opened.target, { messages: USER });
    expect(whole.status).toBe(500);
    expect((await json(whole)).error.message).toBe("The GPU fell off.");
    expect(opened.server.jobs).toEqual([]);
  });

  test("a defect in the middle tells the client nothing but that", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ tokens: [120, -1] });
    const { data } = await readSse(await postChat(opened.target, { messages: USER, stream: true }));
    const whole = await postChat(opened.target, { messages: USER });
    expect(whole.status).toBe(500);
    for (const body of [JSON.parse(data.at(-1) ?? ""), await json(whole)]) {
      expect(body.error).toMatchObject({ type: "server_error", code: "internal_error" });
      expect(body.error.message).not.toContain("secret");
    }
    expect(opened.server.errors.length).toBe(2);
    expect(opened.server.jobs).toEqual([]);
    await Promise.all(opened.server.engine.runs.map((run) => run.cancelled));
  });
});

test("the model's name without one in the request", async () => {
  const { fakeServer } = await import("../support/FakeServer.ts");
  const { inProcess } = await import("../support/httpClient.ts");
  const target = inProcess(fakeServer().app);
  expect((await json(await postChat(target, { messages: USER }))).model).toBe(FAKE_MODEL);
});
