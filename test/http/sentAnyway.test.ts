/** What clients send that is not quite right, or not ours to read: it is served, and the log says what became of it. */
import { expect, test } from "bun:test";
import type { PromptInput } from "../../src/chat/Message.ts";
import { collect, get, json, type Loose, postChat, readSse, streamChat } from "../support/httpClient.ts";
import * as anthropic from "./anthropicWire.ts";
import * as responses from "./responsesWire.ts";
import { ADD_TOOL, type Opened, onEachTarget, USER } from "./targets.ts";

const said = (prompt: PromptInput | undefined): string[] =>
  (prompt?.messages ?? []).map(({ role, content }) => `${role}: ${content}`);
const ignored = ({ server }: Opened): string => JSON.stringify(server.notes);
const CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>';

onEachTarget("pictures and documents of a model that reads none", (open) => {
  const png = { type: "base64", media_type: "image/png", data: "AA" };
  const pdf = { type: "document", source: { ...png, media_type: "application/pdf" } };
  const image = { type: "image", source: png };

  test("are placeholders in Anthropic's messages, whoever sends them", async () => {
    await using opened = open();
    await anthropic.message(opened.target, {
      system: [anthropic.text("Be brief."), image],
      messages: [
        anthropic.user([anthropic.text("Read this."), pdf]),
        anthropic.assistant([anthropic.text("I did."), image]),
        anthropic.user([image]),
      ],
    });
    expect(said(opened.server.prompts[0])).toEqual([
      "system: Be brief.\n[image omitted]",
      "user: Read this.\n[document omitted]",
      "assistant: I did.\n[image omitted]",
      "user: [image omitted]",
    ]);
    expect(ignored(opened)).toContain('\\"document\\" are not read');
    expect(ignored(opened)).not.toContain("Read this");
  });

  test("are placeholders in chat completions and responses", async () => {
    await using opened = open();
    const content = [
      { type: "text", text: "Look." },
      { type: "image_url", image_url: { url: "data:" } },
      { type: "input_audio", input_audio: { data: "" } },
    ];
    expect((await postChat(opened.target, { messages: [{ role: "user", content }] })).status).toBe(200);
    await responses.response(opened.target, {
      input: [
        responses.user([
          { type: "input_image", image_url: "x" },
          { type: "input_file", file_id: "f" },
        ]),
      ],
    });
    expect(opened.server.prompts.map(said)).toEqual([
      ["user: Look.\n[image omitted]\n[audio omitted]"],
      ["user: [image omitted]\n[file omitted]"],
    ]);
    for (const type of ["image_url", "input_audio", "input_file"]) expect(ignored(opened)).toContain(type);
  });
});

onEachTarget("history that was trimmed", (open) => {
  const noted = (opened: Opened): number => ignored(opened).split("do not hold").length - 1;

  test("chat completions: results whose calls are gone", async () => {
    await using opened = open();
    for (const more of [{ tool_call_id: "gone" }, {}, { name: "add" }, { tool_call_id: null }]) {
      const messages = [{ role: "tool", content: "3", ...more }, ...USER];
      expect((await postChat(opened.target, { messages, tools: [ADD_TOOL] })).status).toBe(200);
      expect(said(opened.server.prompts.at(-1))).toEqual(["tool: 3", "user: hi"]);
    }
    expect(noted(opened)).toBe(4);
  });

  test("messages", async () => {
    await using opened = open();
    const orphans = [anthropic.result("gone", "3"), { type: "tool_result", content: "4" }];
    await anthropic.message(opened.target, {
      messages: [anthropic.user([...orphans, anthropic.text("and?")])],
    });
    expect(said(opened.server.prompts[0])).toEqual(["tool: 3", "tool: 4", "user: and?"]);
    expect(noted(opened)).toBe(1);
  });

  test("responses", async () => {
    await using opened = open();
    const orphans = ["gone", undefined, undefined].map((call_id, i) => ({
      type: "function_call_output",
      output: String(i),
      ...(call_id === undefined ? {} : { call_id }),
    }));
    await responses.response(opened.target, { input: [...orphans, responses.user("and?")] });
    expect(said(opened.server.prompts[0])).toEqual(["tool: 0", "tool: 1", "tool: 2", "user: and?"]);
    expect(noted(opened)).toBe(1);
  });
});

onEachTarget("functions of the time before tools", (open) => {
  const functions = [ADD_TOOL.function];

  test("are tools, and answered with a function_call", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: `<think>hm</think>\n\n${CALL}` });
    const { choices } = await json(await postChat(opened.target, { messages: USER, functions }));
    expect(choices[0]).toMatchObject({
      finish_reason: "function_call",
      message: { function_call: { name: "add", arguments: '{"a": 1}' }, content: null },
    });
    expect(choices[0].message.tool_calls).toBeUndefined();
    const chunks = await streamChat(opened.target, { messages: USER, functions });
    const deltas = chunks.flatMap(({ choices: [choice] }) => choice?.delta.function_call ?? []);
    expect(deltas[0].name).toBe("add");
    expect(deltas.map((delta: Loose) => delta.arguments).join("")).toBe('{"a": 1}');
    expect(collect(chunks).finishes).toEqual(["function_call"]);
  });

  test("come back as call and result, and are warmed so", async () => {
    await using opened = open();
    const { server, target } = opened;
    server.engine.script = () => ({ text: CALL });
    const first = await json(await postChat(target, { messages: USER, functions }));
    await new Promise(setImmediate);
    const result = { role: "function", name: "add", content: "2" };
    await postChat(target, { messages: [...USER, first.choices[0].message, result], functions });
    const [, call, answer] = server.prompts[1]?.messages ?? [];
    expect(call).toMatchObject({ role: "assistant", toolCalls: [{ name: "add" }] });
    const [id] = call?.role === "assistant" ? call.toolCalls.map((one) => one.id) : [];
    expect(answer).toEqual({ role: "tool", content: "2", toolCallId: id ?? "", name: "add" });
    expect(server.jobs[0]?.reply.toolCalls[0]?.id).toBe(id ?? "");
    const [before, after] = server.engine.runs.map(({ spec }) => spec.conversation);
    expect(after).toEqual({ id: before?.id ?? "", turn: 2 });
  });

  test("are held by function_call as tools are by tool_choice", async () => {
    await using opened = open();
    const two = [...functions, { name: "sub" }];
    const grammar = async (function_call: unknown): Promise<string> => {
      await postChat(opened.target, { messages: USER, functions: two, function_call });
      return opened.server.engine.runs.at(-1)?.spec.sampling?.grammar ?? "";
    };
    expect(await grammar({ name: "sub" })).not.toContain('"add"');
    expect(await grammar("none")).not.toContain('"add"');
    expect(await grammar("auto")).toContain('"sub"');
    for (const [body, field] of [
      [{ functions: "x" }, "functions"],
      [{ functions: [{}] }, "functions[0].name"],
      [{ functions, function_call: "any" }, "function_call"],
      [{ functions, function_call: { name: "no" } }, "function_call.name"],
    ] as const) {
      const { error } = await json(await postChat(opened.target, { messages: USER, ...body }));
      expect(error.param).toBe(field);
    }
  });
});

onEachTarget("small things", (open) => {
  test("a model's name with a slash in it, escaped or not", async () => {
    await using opened = open();
    for (const path of ["/v1/models/org/name", "/models/org/name", "/v1/models/a/b/c"]) {
      const response = await get(opened.target, path);
      expect([response.status, (await json(response)).error.code]).toEqual([404, "model_not_found"]);
    }
    // Escapes that are none name no model, and bring nobody down.
    for (const name of ["%ZZ", "a%", "org/%E0%A4%A"]) {
      expect((await get(opened.target, `/v1/models/${name}`)).status).toBe(404);
    }
    expect((await get(opened.target, "/v1/models/fake-model")).status).toBe(200);
    expect((await get(opened.target, "/v1/models/org/name", { method: "POST" })).status).toBe(405);
  });

  test("HEAD is as long as GET", async () => {
    await using opened = open();
    for (const path of ["/docs", "/openapi.json", "/v1/models", "/props", "/nothing"]) {
      const { headers } = await get(opened.target, path, { method: "HEAD" });
      const body = await (await get(opened.target, path)).arrayBuffer();
      expect([path, Number(headers.get("content-length"))]).toEqual([path, body.byteLength]);
    }
  });

  test("enable_thinking beside the kwargs", async () => {
    await using opened = open();
    const on = async (body: object): Promise<unknown> => {
      await postChat(opened.target, { messages: USER, ...body });
      return opened.server.prompts.at(-1)?.kwargs.get("enable_thinking");
    };
    expect(await on({ enable_thinking: false })).toBe(false);
    expect(await on({ enable_thinking: true, reasoning_effort: "none" })).toBe(true);
    expect(await on({ enable_thinking: true, chat_template_kwargs: { enable_thinking: false } })).toBe(false);
    await responses.response(opened.target, { enable_thinking: false });
    expect(opened.server.prompts.at(-1)?.kwargs.get("enable_thinking")).toBe(false);
  });

  test("continuous_usage_stats: usage so far in every chunk", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "hello" });
    const stream_options = { include_usage: true, continuous_usage_stats: true };
    for (const body of [
      { stream_options },
      { continuous_usage_stats: true, stream_options: { include_usage: true } },
    ]) {
      const chunks = await streamChat(opened.target, { messages: USER, ...body });
      const counts = chunks
        .filter(({ choices }) => choices[0]?.delta.content)
        .map(({ usage }) => usage.completion_tokens);
      expect(counts).toEqual([...counts].sort((a, b) => a - b));
      expect(counts.at(-1)).toBe(5);
      expect(chunks[0]?.timings).toBeUndefined();
    }
  });

  test("a client that leaves a whole answer is no error of the server's", async () => {
    await using opened = open();
    const { server, target } = opened;
    server.engine.script = () => ({ text: "never", hold: "decode" });
    const started = server.engine.nextRun();
    const leaves = new AbortController();
    const asked = postChat(target, { messages: USER }, { signal: leaves.signal }).catch(() => {});
    await (await started).held;
    leaves.abort();
    await asked;
    while (server.lines.length === 0) await Bun.sleep(1);
    expect(server.lines).toMatchObject([{ status: 499 }]);
  });
});

test("text of Anthropic's has no citations at all where there are none", async () => {
  const { fakeServer } = await import("../support/FakeServer.ts");
  const { inProcess } = await import("../support/httpClient.ts");
  const target = inProcess(fakeServer().app);
  const whole = await (await anthropic.post(target, anthropic.HI)).text();
  const { data } = await readSse(await anthropic.post(target, { ...anthropic.HI, stream: true }));
  expect([whole, ...data].filter((text) => text.includes("citations"))).toEqual([]);
  expect(whole).toContain('"type":"text"');
});
