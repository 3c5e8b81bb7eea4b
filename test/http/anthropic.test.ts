import { expect, test } from "bun:test";
import { blockedReader } from "../support/blockedReader.ts";
import { FAKE_MODEL, fakeServer } from "../support/FakeServer.ts";
import { get, json, listening } from "../support/httpClient.ts";
import { ADD, assistant, events, HI, message, post, result, text, use, user } from "./anthropicWire.ts";
import { onEachTarget } from "./targets.ts";

const CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2.0}}\n</tool_call>';
const REPLY = `<think>\nlet me add\n</think>\n\nSure. é🙂\n\n${CALL}`;

onEachTarget("messages", (open) => {
  test("a whole message", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({
      text: REPLY,
      report: { resumedTokens: 5, warmedTokens: 4, prefilledTokens: 3, promptTokens: 8 },
    });
    const response = await post(opened.target, { ...HI, tools: [ADD] });
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(response.headers.get("request-id")).toStartWith("req_");
    expect(await json(response)).toMatchObject({
      type: "message",
      role: "assistant",
      model: "local",
      content: [
        { type: "thinking", thinking: "let me add" },
        { type: "text", text: "Sure. é🙂" },
        { type: "tool_use", name: "add", input: { a: 1, b: 2 } },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 3, cache_read_input_tokens: 5, cache_creation_input_tokens: 0 },
      warmturn: { resumed: 5, warmed: 4, prefilled: 3 },
    });
  });

  test("a stream", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: REPLY });
    const response = await post(opened.target, { ...HI, tools: [ADD], stream: true });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const sent = await response.text();
    // Every event has its name and its data, in this order.
    for (const part of sent.split("\n\n").filter((event) => event !== "" && !event.startsWith(":"))) {
      const [, name, type] = /^event: (\w+)\ndata: \{"type": ?"(\w+)"/.exec(part) ?? [];
      expect([part, name]).toEqual([part, type ?? "none"]);
    }
    expect(sent).toStartWith(": accepted\n\nevent: message_start\n");
    expect(sent).toEndWith('event: message_stop\ndata: {"type":"message_stop"}\n\n');
  });

  test("stop sequences, the limit, the context's end", async () => {
    await using opened = open();
    const { engine } = opened.server;
    engine.script = () => ({ text: "one STOP two" });
    expect(await message(opened.target, { stop_sequences: ["STOP"] })).toMatchObject({
      content: [{ type: "text", text: "one" }],
      stop_reason: "stop_sequence",
      stop_sequence: "STOP",
    });
    engine.script = () => ({ text: "one", reason: "length" });
    expect((await message(opened.target, { max_tokens: 3 })).stop_reason).toBe("max_tokens");
    expect((await message(opened.target, {})).stop_reason).toBe("model_context_window_exceeded");
    engine.script = () => ({ text: "", reason: "prefilled" });
    expect(await message(opened.target, { max_tokens: 0 })).toMatchObject({
      content: [],
      stop_reason: "max_tokens",
    });
    expect(engine.runs.map((run) => run.spec.maxTokens)).toEqual([64, 3, 64, 0]);
  });

  test("forced calls get a grammar; with tool_choice none the tools stay, and no call can begin", async () => {
    await using opened = open();
    const { engine, prompts } = opened.server;
    const tools = [ADD, { ...ADD, name: "other" }];
    await message(opened.target, { tools, tool_choice: { type: "any", disable_parallel_tool_use: true } });
    await message(opened.target, { tools, tool_choice: { type: "tool", name: "other" } });
    await message(opened.target, { tools, tool_choice: { type: "none" } });
    await message(opened.target, { tools, tool_choice: { type: "any" } });
    const [single = "", other = "", none = "", any = ""] = engine.runs.map(
      (run) => run.spec.sampling?.grammar ?? "",
    );
    expect([single.includes("add"), single.includes("other")]).toEqual([true, true]);
    expect([other.includes("add"), other.includes("other")]).toEqual([false, true]);
    expect([none === "", none.includes("tool_call")]).toEqual([false, false]);
    expect(any).not.toBe(single);
    expect(prompts[2]?.tools).toEqual(prompts[0]?.tools ?? []);
  });

  test("goes on in its conversation, and is warmed when the answer has left", async () => {
    await using opened = open();
    const { server, target } = opened;
    server.engine.script = () => ({ text: `<think>hm</think> ${CALL}` });
    const handed = new Promise<void>((resolve) => {
      server.onJob = () => resolve();
    });
    const messages: object[] = [user("x".repeat(200))];
    const first = await message(target, { messages, tools: [ADD] });
    await handed;
    expect(server.jobs[0]).toMatchObject({
      reply: { content: "", reasoning: "hm", toolCalls: [{ id: first.content[1].id, name: "add" }] },
      conversation: { turn: 1 },
    });
    messages.push(assistant(first.content), user([result(first.content[1].id, "3")]));
    await message(target, { messages, tools: [ADD] });
    const [a, b] = server.engine.runs.map((run) => run.spec.conversation);
    expect(b).toEqual({ id: a?.id ?? "", turn: 2 });
  });

  test("pings from the moment it is accepted, then every ten seconds of silence", async () => {
    await using opened = open();
    const { engine, clock } = opened.server;
    engine.script = () => ({ text: "hi", hold: "prefill" });
    const started = engine.nextRun();
    const response = await post(opened.target, { ...HI, stream: true });
    const run = await started;
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let sent = "";
    const until = async (mark: string): Promise<void> => {
      while (!sent.endsWith(mark)) sent += decoder.decode((await reader?.read())?.value);
    };
    const PING = 'event: ping\ndata: {"type": "ping"}\n\n';
    await until(PING);
    expect(sent).toContain("event: message_start");
    for (let i = 0; i < 2; i += 1) {
      sent = "";
      while (clock.timers === 0) await Bun.sleep(0);
      clock.advance(10_000);
      await until(PING);
      expect(sent).toBe(PING);
    }
    run.release();
    await until('{"type":"message_stop"}\n\n');
  });

  test("a failure in the middle is an error event, and nothing is warmed", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({
      text: "partly",
      fail: { code: "evaluate-failed", message: "The GPU fell off." },
    });
    const sent = await events(opened.target, {});
    expect(sent.at(-1)).toMatchObject({
      type: "error",
      error: { type: "api_error", message: "The GPU fell off." },
    });
    expect(sent.at(-1).request_id).toStartWith("req_");
    const whole = await post(opened.target, HI);
    expect([whole.status, (await json(whole)).error.type]).toEqual([500, "api_error"]);
    expect(opened.server.jobs).toEqual([]);
  });

  test("a defect in the middle tells the client nothing but that", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ tokens: [120, -1] });
    const last = (await events(opened.target, {})).at(-1);
    const whole = await json(await post(opened.target, HI));
    for (const body of [last, whole]) {
      expect(body).toMatchObject({ type: "error", error: { type: "api_error" } });
      expect(body.error.message).not.toContain("secret");
    }
    expect(opened.server.errors.length).toBe(2);
  });

  test("count_tokens counts the rendered prompt", async () => {
    await using opened = open();
    const body = { ...HI, system: "You are.", tools: [ADD] };
    const response = await post(opened.target, body, { path: "/v1/messages/count_tokens?beta=true" });
    expect(response.status).toBe(200);
    expect(await json(response)).toEqual({ input_tokens: "<system>You are.<user>hi".length });
    expect(opened.server.engine.runs).toEqual([]);
    const { usage } = await message(opened.target, body);
    expect(usage.input_tokens).toBe("<system>You are.<user>hi".length);
    expect(opened.server.prompts[0]).toEqual(opened.server.prompts[1] ?? ({} as never));
  });

  test("count_tokens counts what is a little too long, and refuses at once what is far too long", async () => {
    await using opened = open({ ready: { ctxTokens: 256 } });
    const counted = (chars: number): Promise<Response> =>
      post(
        opened.target,
        { ...HI, messages: [{ role: "user", content: "x".repeat(chars) }] },
        { path: "/v1/messages/count_tokens" },
      );
    const little = await counted(300);
    expect(little.status).toBe(200);
    expect((await json(little)).input_tokens).toBeGreaterThan(300);
    const far = await counted(1_000_000);
    const { error } = await json(far);
    expect([far.status, error.type]).toEqual([400, "invalid_request_error"]);
    expect(error.message).toContain("at least");
    expect(error.message).toContain("> 255 maximum");
  });

  test("a last assistant message is continued; both together are warmed, and counted without a new one", async () => {
    await using opened = open();
    const { server, target } = opened;
    server.engine.script = () => ({ text: "B)" });
    const handed = new Promise<void>((resolve) => {
      server.onJob = () => resolve();
    });
    const body = { messages: [user("Sun?"), assistant([text("The best answer is (")])] };
    expect((await message(target, body)).content).toEqual([{ type: "text", text: "B)" }]);
    await handed;
    expect(server.jobs[0]).toMatchObject({
      prompt: { messages: [{ role: "user", content: "Sun?" }] },
      reply: { content: "The best answer is (B)" },
    });
    const counted = await post(target, body, { path: "/v1/messages/count_tokens" });
    const spec = server.engine.runs[0]?.spec;
    expect(await json(counted)).toEqual({ input_tokens: spec?.plan.tokens.length ?? -1 });
  });

  test("what Claude Code asks first", async () => {
    await using opened = open();
    for (const path of ["/", "/api/hello"]) {
      expect((await get(opened.target, path, { method: "HEAD" })).status).toBe(200);
    }
  });

  test("the model is the one that was asked for; with --strict-model only its own", async () => {
    await using opened = open({ strict: true });
    const other = await post(opened.target, HI);
    expect([other.status, (await json(other)).error.type]).toEqual([404, "not_found_error"]);
    expect((await message(opened.target, { model: FAKE_MODEL })).model).toBe(FAKE_MODEL);
    const counted = await post(opened.target, HI, { path: "/v1/messages/count_tokens" });
    expect(counted.status).toBe(404);
  });
});

for (const stream of [true, false]) {
  test(`the message's last byte is gone before it is warmed, ${stream ? "streamed" : "whole"}`, async () => {
    const server = fakeServer();
    await using target = listening(server.app);
    using reader = await blockedReader();
    const seen = new Promise<boolean>((resolve) => {
      server.onJob = () => resolve(reader.seenEnd());
    });
    reader.post(`${target.url}/v1/messages`, JSON.stringify({ ...HI, stream }));
    expect(await seen).toBe(true);
  });
}

test("what is not served is logged", async () => {
  const server = fakeServer();
  await using target = listening(server.app);
  const tools = [{ type: "web_search_20250305", name: "web_search" }, ADD];
  const messages = [user([text("hi")]), assistant([use("1")]), user([result("1", "3")])];
  await message(target, { tools, messages });
  expect(server.notes).toEqual([
    { id: expect.any(String), ignored: [expect.stringContaining("web_search")] },
  ] as never);
});
