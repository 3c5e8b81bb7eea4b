/** What real clients met elsewhere, by the numbers of the study of clients; those of the Responses API. */
import { expect, test } from "bun:test";
import { json } from "../support/httpClient.ts";
import {
  ADD,
  assistant,
  call,
  developer,
  events,
  HI,
  output,
  outputText,
  post,
  reasoning,
  response,
  user,
} from "./responsesWire.ts";
import { countOf, fiveMinutes, HOLDS, leaves, open, prompts } from "./scenarioRig.ts";

const TERMINAL = /^response\.(completed|incomplete|failed)$/;

test("7: reasoning then text are items of their own, in order, under one response", async () => {
  const { server, target } = open({ opensReasoning: true });
  server.engine.script = () => ({ text: "hm\n</think>\n\nhello" });
  const sent = await events(target, {});
  expect(sent.filter(({ type }) => type === "response.created").length).toBe(1);
  const added = sent.filter(({ type }) => type === "response.output_item.added");
  expect(added.map((event) => [event.output_index, event.item.type])).toEqual([
    [0, "reasoning"],
    [1, "message"],
  ]);
  for (const { type, output_index } of sent.filter(({ type }) => type.endsWith(".delta"))) {
    expect(type.includes("reasoning")).toBe(output_index === 0);
  }
});

test("10: the schemas of real tools are taken, also where a call is forced", async () => {
  const { target } = open();
  const properties = {
    path: { type: "string", pattern: "^\\/[a-z\\-]+$", maxLength: 65536 },
    list: { type: "array", items: { type: "string", pattern: "[0-9]" }, minItems: 1 },
    n: { type: "integer", exclusiveMinimum: 0 },
  };
  const tools = [{ ...ADD, parameters: { $schema: "x", type: "object", properties, required: ["path"] } }];
  for (const tool_choice of ["auto", "required"]) {
    expect((await post(target, { ...HI, tools, tool_choice })).status).toBe(200);
  }
});

test("11: a schema of the text is held, or a 400 that names what cannot be; never ignored", async () => {
  const { server, target } = open();
  const schema = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
  const format = { type: "json_schema", name: "title", strict: true, schema };
  const held = await response(target, { text: { format } });
  expect(server.engine.runs[0]?.spec.sampling?.grammar).toContain('"\\"title\\""');
  expect(held.text.format).toEqual(format);
  const not = { ...format, schema: { ...schema, not: { required: ["title"] } } };
  const refused = await post(target, { ...HI, text: { format: not } });
  expect([refused.status, (await json(refused)).error.param]).toEqual([400, "text.format.schema.not"]);
});

test("12: namespaces, hosted and custom tools are taken, and the inner functions can be called", async () => {
  const { server, target } = open();
  const tools = [
    ADD,
    { type: "namespace", name: "mcp__files", description: "files", tools: [{ ...ADD, name: "read" }] },
    { type: "web_search", external_web_access: false },
    { type: "custom", name: "patch", description: "patches", format: { type: "text" } },
  ];
  const calling = (name: string, args: string) =>
    `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;
  server.engine.script = () => ({
    text: `${calling("mcp__files__read", '{"a": 1}')}\n${calling("patch", '{"input": "*** Begin\\n\\"x\\""}')}`,
  });
  const { output: items } = await response(target, { tools });
  expect(items).toMatchObject([
    { type: "function_call", name: "read", namespace: "mcp__files", arguments: '{"a": 1}' },
    { type: "custom_tool_call", name: "patch", input: '*** Begin\n"x"' },
  ]);
  expect(server.prompts[0]?.tools.map(({ name }) => name)).toEqual(["add", "mcp__files__read", "patch"]);
  expect(JSON.stringify(server.notes)).toContain("web_search");
  const streamed = await events(target, { tools });
  const custom = streamed.filter(({ type }) => type.includes("custom_tool_call_input"));
  expect(custom.map(({ type, delta, input }) => [type, delta ?? input])).toEqual([
    ["response.custom_tool_call_input.delta", '*** Begin\n"x"'],
    ["response.custom_tool_call_input.done", '*** Begin\n"x"'],
  ]);
  // What comes back is what was warmed.
  while (server.jobs.length < 1) await Bun.sleep(0);
  const outputs = items.map((one: { call_id: string; type: string }) => ({
    type: `${one.type}_output`,
    call_id: one.call_id,
    output: "ok",
  }));
  await response(target, { tools, input: [user("hi"), ...items, ...outputs] });
  const [echo] = server.prompts.at(-1)?.messages.slice(1) ?? [];
  expect(echo).toEqual(server.jobs[0]?.reply);
});

for (const [how, script] of Object.entries({
  completed: { text: "x" },
  incomplete: { text: "x", reason: "length" },
  failed: { text: "x", fail: { code: "evaluate-failed", message: "The GPU fell off." } },
  "completed without a word": { text: " " },
  "failed before a word": { fail: { code: "crashed", message: "The Worker died." } },
  "failed for what nobody foresaw": { tokens: [-1] },
  "incomplete inside a call": { text: '<tool_call>\n{"name": "add", "arguments": {"a', reason: "length" },
} as const)) {
  test(`14: a stream that is ${how} ends with that event, and no other`, async () => {
    const { server, target } = open();
    server.engine.script = () => script;
    const sent = await events(target, { tools: [ADD] });
    const ends = sent.filter(({ type }) => TERMINAL.test(type));
    expect(ends.length).toBe(1);
    const last = sent.at(-1);
    expect(last).toBe(ends[0]);
    const [status] = how.split(" ");
    expect([last.type, last.response.status]).toEqual([`response.${status}`, status]);
    expect(last.response.incomplete_details).toEqual(
      status === "incomplete" ? { reason: "max_output_tokens" } : null,
    );
    expect(last.response.error === null).toBe(status !== "failed");
    expect(JSON.stringify(last)).not.toContain("a secret");
  });
}

test("14: also when the server closes while it writes", async () => {
  const { server, target } = open();
  server.engine.script = () => ({ text: "hello", hold: "decode" });
  const started = server.engine.nextRun();
  const reading = events(target, {});
  const run = await started;
  await run.held;
  run.cancel();
  const last = (await reading).at(-1);
  expect([last.type, last.response.error.code]).toEqual(["response.failed", "server_error"]);
  expect(last.response.output).toMatchObject([{ type: "message", status: "incomplete" }]);
});

test("15: developer messages are rendered, where they stand", async () => {
  const { server, target } = open();
  await response(target, {
    input: [developer("be brief"), user("a"), assistant([outputText("b")]), developer("c"), user("d")],
  });
  expect(prompts(server)[0]).toBe("<system>be brief<user>a<assistant>b<system>c<user>d");
});

test("19: reasoning with calls and no text, and reasoning alone, are taken", async () => {
  const { server, target } = open();
  await response(target, { tools: [ADD], input: [user("x"), reasoning("hm"), call("1"), output("1", "3")] });
  await response(target, { input: [user("x"), reasoning("hm"), user("y")] });
  expect(server.prompts[0]?.messages[1]).toMatchObject({
    content: "",
    reasoning: "hm",
    toolCalls: [{ id: "1" }],
  });
  expect(server.prompts[1]?.messages[1]).toMatchObject({ content: "", reasoning: "hm" });
});

for (const hold of HOLDS) {
  test(`20: a client that leaves in ${hold} ends its run`, () =>
    leaves(hold, (target, options) => post(target, { ...HI, stream: true }, options)));
}

test("21: five minutes without a word are told by comments, not by events", async () => {
  const { sent, end } = await fiveMinutes("response.in_progress", ": keep-alive\n", (target) =>
    post(target, { ...HI, stream: true }),
  );
  expect(countOf(sent(), "event: ")).toBe(2);
  await end();
  expect(countOf(sent(), "event: response.completed\n")).toBe(1);
});

test("24: a prompt that is too long is the error that clients know, with both numbers", async () => {
  const { target } = open({ ready: { ctxTokens: 100 } });
  for (const stream of [true, false]) {
    const answer = await post(target, { ...HI, stream, input: "x".repeat(200) });
    const { error } = await json(answer);
    expect([answer.status, error.code, error.param]).toEqual([400, "context_length_exceeded", "input"]);
    expect(error.message).toContain("prompt is too long: 206 tokens > 99 maximum");
  }
});

test("26: reasoning that did not come back is no error", async () => {
  const { server, target } = open();
  await response(target, { tools: [ADD], input: [user("x"), call("1"), output("1", "3")] });
  expect(server.prompts[0]?.messages[1]).toMatchObject({ reasoning: "" });
});

test("31: a title request between turns leaves the main conversation its place", async () => {
  const { server, target } = open();
  const { engine } = server;
  const headers = { "session-id": "one", "user-agent": "codex_exec/0.171.0" };
  const main = [
    developer("You are Codex. ".repeat(10)),
    user("Please mend the roof of the shed. ".repeat(10)),
  ];
  const title = [developer("Write a title. ".repeat(10)), ...main.slice(1)];
  await response(target, { input: main, store: false }, { headers });
  await response(target, { input: title, store: false, prompt_cache_key: "other" }, { headers });
  const next = [...main, assistant([outputText("hello")]), user("go on")];
  await response(target, { input: next, store: false }, { headers });
  const [first, side, second] = engine.runs.map((run) => run.spec.conversation);
  expect(side?.id).not.toBe(first?.id ?? "");
  expect(second).toEqual({ id: first?.id ?? "", turn: 2 });
  expect(engine.dropped).toEqual([first?.id ?? "", side?.id ?? "", first?.id ?? ""]);
});

test("34: a long call starts with its name, and no delta is empty", async () => {
  const { server, target } = open();
  server.engine.script = () => ({
    text: `<tool_call>\n{"name": "add", "arguments": {"a": "${"x".repeat(500)}"}}\n</tool_call>`,
  });
  const sent = await events(target, { tools: [ADD] });
  const deltas = sent.filter(({ type }) => type === "response.function_call_arguments.delta");
  expect(deltas.length).toBeGreaterThan(400);
  expect(sent[2]).toMatchObject({ type: "response.output_item.added", item: { name: "add", arguments: "" } });
  for (const { delta } of sent.filter(({ type }) => type.endsWith(".delta"))) expect(delta).not.toBe("");
});
