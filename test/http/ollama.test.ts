/** Ollama's endpoints by their bodies: what is read, what is answered, how it is refused. */
import { expect, test } from "bun:test";
import { get, type HttpTarget, json, type Loose, postChat } from "../support/httpClient.ts";
import { ADD_TOOL, onEachTarget, USER } from "./targets.ts";

const CALL = '<tool_call>\n{"name": "add", "arguments": {"b": 2.0, "a": 1}}\n</tool_call>';
const REPLY = `<think>\nhm\n</think>\n\nSure.\n\n${CALL}`;

const chat = async (target: HttpTarget, body: object): Promise<Response> =>
  await postChat(target, { messages: USER, stream: false, ...body }, { path: "/api/chat" });

async function lines(response: Response): Promise<Loose[]> {
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  const text = await response.text();
  expect(text).toEndWith("\n");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

onEachTarget("Ollama's chat", (open) => {
  test("whole, with digits and keys as the model wrote them", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: REPLY, report: { promptTokens: 8, resumedTokens: 5 } });
    const response = await chat(opened.target, { tools: [ADD_TOOL] });
    const text = await response.text();
    expect(text).toContain('"arguments":{"b":2.0,"a":1}');
    expect(JSON.parse(text)).toMatchObject({
      message: {
        role: "assistant",
        content: "Sure.",
        thinking: "hm",
        tool_calls: [{ function: { index: 0, name: "add", arguments: { a: 1, b: 2 } } }],
      },
      done: true,
      done_reason: "stop",
      prompt_eval_count: 8,
      warmturn: { resumed: 5 },
    });
  });

  test("streamed where nothing is said, and the same", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: REPLY });
    const all = await lines(await chat(opened.target, { tools: [ADD_TOOL], stream: undefined }));
    expect(all.map(({ done }) => done)).toEqual([...all.slice(1).map(() => false), true]);
    expect(all.map(({ message }) => message.content).join("")).toBe("Sure.");
    expect(all.map(({ message }) => message.thinking ?? "").join("")).toBe("hm");
    expect(all.flatMap(({ message }) => message.tool_calls ?? [])).toMatchObject([
      { function: { name: "add", arguments: { a: 1, b: 2 } } },
    ]);
    expect(all.at(-1)).toMatchObject({ done_reason: "stop", prompt_eval_count: expect.any(Number) });
  });

  test("a failure in a stream is its last line; before it a status with a sentence", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({
      text: "x",
      fail: { code: "out-of-memory", message: "No memory is left." },
    });
    const all = await lines(await chat(opened.target, { stream: true }));
    expect(all.at(-1)).toEqual({ error: expect.stringContaining("No memory is left.") });
    const whole = await chat(opened.target, {});
    expect([whole.status, Object.keys(await json(whole))]).toEqual([500, ["error"]]);
    for (const [body, field] of [
      [{ messages: 5 }, "messages"],
      [{ options: { temperature: "hot" } }, "options.temperature"],
      [{ options: { num_predict: -3 } }, "options.num_predict"],
      [{ options: [] }, "options"],
      [{ format: 5 }, "format"],
      [{ format: "xml" }, "format"],
      [{ think: 5 }, "think"],
      [{ messages: [{ role: "user", content: "x", images: "x" }] }, "messages[0].images"],
    ] as const) {
      const refused = await chat(opened.target, body);
      expect([refused.status, (await json(refused)).error]).toEqual([
        400,
        expect.stringContaining(`${field}: `),
      ]);
    }
  });

  test("options, format and think", async () => {
    await using opened = open();
    const { engine, prompts, notes } = opened.server;
    const options = { temperature: 0.5, top_k: 7, seed: 42, num_predict: 9, stop: ["END"], num_ctx: 4096 };
    await chat(opened.target, { options, format: "json", think: false, keep_alive: "5m" });
    const { sampling, maxTokens } = engine.runs[0]?.spec ?? {};
    expect(sampling).toMatchObject({
      temperature: 0.5,
      topK: 7,
      seed: 42,
      grammar: expect.stringContaining("root"),
    });
    expect(maxTokens).toBe(9);
    expect(prompts[0]?.kwargs.get("enable_thinking")).toBe(false);
    expect(JSON.stringify(notes)).toContain("options.num_ctx");
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    for (const format of [schema, JSON.stringify(schema)]) {
      await chat(opened.target, { format, think: "high", options: { num_predict: -2 } });
      expect(engine.runs.at(-1)?.spec.sampling?.grammar).toContain("city");
      expect(engine.runs.at(-1)?.spec.maxTokens).toBe(Number.POSITIVE_INFINITY);
      expect(prompts.at(-1)?.kwargs.get("reasoning_effort")).toBe("high");
    }
  });

  test("is the same prompt as chat completions', calls and results included", async () => {
    await using opened = open();
    const { prompts } = opened.server;
    const args = { b: 2, a: 1 };
    const history = [
      ...USER,
      {
        role: "assistant",
        content: "",
        thinking: "hm",
        tool_calls: [{ function: { name: "add", arguments: args } }],
      },
    ];
    const messages = [...history, { role: "tool", tool_name: "add", content: "3" }];
    await chat(opened.target, { messages, tools: [ADD_TOOL] });
    const id = prompts[0]?.messages[2]?.role === "tool" ? prompts[0].messages[2].toolCallId : "";
    const call = { id, type: "function", function: { name: "add", arguments: JSON.stringify(args) } };
    const same = [
      ...USER,
      { role: "assistant", content: null, reasoning_content: "hm", tool_calls: [call] },
      { role: "tool", tool_call_id: id, content: "3" },
    ];
    await postChat(opened.target, { messages: same, tools: [ADD_TOOL] });
    expect(prompts[1]).toEqual(prompts[0] as never);
  });

  test("a call is warmed under the id that it comes back with", async () => {
    await using opened = open();
    const { server, target } = opened;
    server.engine.script = () => ({ text: `${CALL}\n${CALL}` });
    const messages: Loose[] = [...USER];
    for (const turn of [0, 1]) {
      const { message } = await json(await chat(target, { messages, tools: [ADD_TOOL] }));
      while (server.jobs.length <= turn) await Bun.sleep(1);
      messages.push(message, ...[1, 2].map((n) => ({ role: "tool", tool_name: "add", content: `${n}` })));
    }
    await chat(target, { messages, tools: [ADD_TOOL] });
    const sent = (server.prompts[2]?.messages ?? []).filter(({ role }) => role === "assistant");
    const warmed = server.jobs.slice(0, 2).map(({ reply }) => reply.toolCalls.map(({ id }) => id));
    expect(
      sent.map((message) => message.role === "assistant" && message.toolCalls.map(({ id }) => id)),
    ).toEqual(warmed);
    expect(new Set(warmed.flat()).size).toBe(4);
  });

  test("nothing asked is a loaded model", async () => {
    await using opened = open();
    expect(await json(await chat(opened.target, { messages: [] }))).toMatchObject({
      done: true,
      done_reason: "load",
    });
    const generate = async (body: object) => await postChat(opened.target, body, { path: "/api/generate" });
    expect(await lines(await generate({ model: "x" }))).toMatchObject([
      { response: "", done_reason: "load" },
    ]);
    expect(opened.server.engine.runs).toEqual([]);
  });
});

onEachTarget("Ollama's generate", (open) => {
  const generate = async (target: HttpTarget, body: object) =>
    await postChat(target, { stream: false, ...body }, { path: "/api/generate" });

  test("puts the template around the prompt, or nothing", async () => {
    await using opened = open();
    const { server, target } = opened;
    await generate(target, { prompt: "hi", system: "Be brief.", images: ["AA"] });
    expect(server.prompts[0]?.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "hi\n[image omitted]" },
    ]);
    const raw = await json(await generate(target, { prompt: "raw text", raw: true }));
    expect(raw).toMatchObject({ response: "hello", done: true });
    expect(server.prompts.length).toBe(1);
    const refused = await generate(target, { prompt: "a", suffix: "b" });
    expect([refused.status, (await json(refused)).error]).toEqual([400, expect.stringContaining("/infill")]);
  });

  test("is warmed, as a chat is", async () => {
    await using opened = open();
    await (await generate(opened.target, { prompt: "hi" })).text();
    while (opened.server.jobs.length === 0) await Bun.sleep(1);
    expect(opened.server.jobs[0]?.reply.content).toBe("hello");
  });
});

onEachTarget("what tells of the model", (open) => {
  test("and what there is not", async () => {
    await using opened = open();
    const { target } = opened;
    for (const path of ["/api/tags", "/api/ps", "/api/version"]) {
      expect((await get(target, path)).status).toBe(200);
    }
    for (const path of ["/api/pull", "/api/push", "/api/create", "/api/copy", "/api/blobs/sha256:1"]) {
      const refused = await postChat(target, {}, { path });
      expect([refused.status, (await json(refused)).error]).toEqual([
        501,
        expect.stringContaining("warmturn pull"),
      ]);
    }
    const missing = await get(target, "/api/nothing");
    expect([missing.status, await json(missing)]).toEqual([
      404,
      { error: "There is nothing at /api/nothing." },
    ]);
  });

  test("strictly by name", async () => {
    await using opened = open({ strict: true });
    const refused = await postChat(opened.target, { model: "other" }, { path: "/api/show" });
    expect([refused.status, (await json(refused)).error]).toEqual([
      404,
      expect.stringContaining("not served here"),
    ]);
  });
});
