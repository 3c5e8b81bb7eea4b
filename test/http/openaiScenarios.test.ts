/** What real clients met elsewhere, by the numbers of the study of clients; those of chat completions. */
import { expect, test } from "bun:test";
import { json, postChat, streamChat } from "../support/httpClient.ts";
import { countOf, fiveMinutes, HOLDS, leaves, open, prompts } from "./scenarioRig.ts";
import { ADD_TOOL, USER } from "./targets.ts";

const user = (content: unknown) => ({ role: "user", content });
const system = (content: string) => ({ role: "system", content });
const calling = (id: string, more: object = {}) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "add", arguments: "{}" } }],
  ...more,
});
const result = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });

test("2: a system message in the list is taken, and stays in its place", async () => {
  const { server, target } = open();
  const messages = [system("s"), user("a"), system("env"), { role: "assistant", content: "b" }, user("c")];
  expect((await postChat(target, { messages })).status).toBe(200);
  expect(prompts(server)[0]).toBe("<system>s<user>a<system>env<assistant>b<user>c");
});

test("7: reasoning and text never share a delta, and have one role", async () => {
  const { server, target } = open({ opensReasoning: true });
  server.engine.script = () => ({ text: "hm\n</think>\n\nhello" });
  const deltas = (await streamChat(target, { messages: USER })).flatMap(
    ({ choices }) => choices[0]?.delta ?? [],
  );
  expect(deltas.filter(({ role }) => role !== undefined).length).toBe(1);
  expect(deltas.some((delta) => delta.content && delta.reasoning_content)).toBe(false);
  const firstText = deltas.findIndex(({ content }) => content);
  expect(deltas.slice(firstText).some(({ reasoning_content: more }) => more)).toBe(false);
});

test("10: the schemas of real tools are taken, also where a call is forced", async () => {
  const { target } = open();
  const properties = {
    path: { type: "string", pattern: "^\\/[a-z\\-]+$", maxLength: 65536 },
    list: { type: "array", items: { type: "string", pattern: "[0-9]" }, minItems: 1 },
    n: { type: "integer", exclusiveMinimum: 0 },
  };
  const parameters = { $schema: "x", type: "object", properties, required: ["path"] };
  const tools = [{ type: "function", function: { name: "add", parameters } }];
  for (const tool_choice of ["auto", "required"]) {
    expect((await postChat(target, { messages: USER, tools, tool_choice })).status).toBe(200);
  }
});

test("11: a response_format that cannot be read is a 400 that names it; one that can is held", async () => {
  const { server, target } = open();
  const ask = (schema: object): Promise<Response> =>
    postChat(target, {
      messages: USER,
      response_format: { type: "json_schema", json_schema: { name: "title", schema } },
    });
  expect((await ask({ type: "object", properties: { title: { type: "string" } } })).status).toBe(200);
  expect(server.engine.runs[0]?.spec.sampling?.grammar).toContain(`\\"title\\"`);
  const refused = await ask({ $ref: "#/nowhere" });
  expect([refused.status, (await json(refused)).error.param]).toEqual([
    400,
    "response_format.json_schema.schema.$ref",
  ]);
});

test("15: developer messages are rendered, where they stand", async () => {
  const { server, target } = open();
  const developer = (content: string) => ({ role: "developer", content });
  const messages = [
    developer("be brief"),
    user("a"),
    { role: "assistant", content: "b" },
    developer("c"),
    user("d"),
  ];
  expect((await postChat(target, { messages })).status).toBe(200);
  expect(prompts(server)[0]).toBe("<system>be brief<user>a<assistant>b<system>c<user>d");
});

test("18: reasoning goes out as reasoning_content, and comes back by any of its names", async () => {
  const { server, target } = open();
  server.engine.script = () => ({ text: "<think>\nhm\n</think>\n\nhello" });
  const { message } = (await json(await postChat(target, { messages: USER }))).choices[0];
  expect(message).toMatchObject({ reasoning_content: "hm", content: "hello" });
  for (const name of ["reasoning_content", "reasoning", "reasoning_text", "thinking"]) {
    const echo = { role: "assistant", content: "hello", [name]: "hm" };
    expect((await postChat(target, { messages: [...USER, echo, user("go on")] })).status).toBe(200);
    expect(server.prompts.at(-1)?.messages[1]).toMatchObject({ reasoning: "hm", content: "hello" });
  }
});

test("19: reasoning with calls and no text, and reasoning alone, are taken", async () => {
  const { server, target } = open();
  const called = [...USER, calling("1", { reasoning_content: "hm" }), result("1", "3")];
  expect((await postChat(target, { messages: called, tools: [ADD_TOOL] })).status).toBe(200);
  const alone = [...USER, { role: "assistant", content: null, reasoning_content: "hm" }, user("y")];
  expect((await postChat(target, { messages: alone })).status).toBe(200);
  expect(server.prompts[0]?.messages[1]).toMatchObject({
    content: "",
    reasoning: "hm",
    toolCalls: [{ id: "1" }],
  });
  expect(server.prompts[1]?.messages[1]).toMatchObject({ content: "", reasoning: "hm" });
});

for (const hold of HOLDS) {
  test(`20: a client that leaves in ${hold} ends its run`, () =>
    leaves(hold, (target, options) => postChat(target, { messages: USER, stream: true }, options)));
}

test("21: five minutes without a word are told by comments, not by chunks", async () => {
  const { sent, end } = await fiveMinutes("", ": keep-alive\n", (target) =>
    postChat(target, { messages: USER, stream: true }),
  );
  expect(sent()).not.toContain('"content"');
  await end();
  expect(countOf(sent(), "data: [DONE]\n")).toBe(1);
});

test("24: a prompt that is too long is the error that clients know, with both numbers", async () => {
  const { target } = open({ ready: { ctxTokens: 100 } });
  for (const stream of [true, false]) {
    const answer = await postChat(target, { messages: [user("x".repeat(200))], stream });
    const { error } = await json(answer);
    expect([answer.status, error.code]).toEqual([400, "context_length_exceeded"]);
    expect(error.message).toContain("prompt is too long: 206 tokens > 99 maximum");
  }
});

test("26: reasoning that did not come back is no error", async () => {
  const { server, target } = open();
  const messages = [...USER, calling("1"), result("1", "3")];
  expect((await postChat(target, { messages, tools: [ADD_TOOL] })).status).toBe(200);
  expect(server.prompts[0]?.messages[1]).toMatchObject({ reasoning: "" });
});

test("31: a title request between turns leaves the main conversation its place", async () => {
  const { server, target } = open();
  const { engine } = server;
  const headers = { "x-session-id": "one", "user-agent": "opencode/1.18.33" };
  const main = [
    system("You are opencode. ".repeat(10)),
    user("Please mend the roof of the shed. ".repeat(10)),
  ];
  const title = [system("Write a title. ".repeat(10)), ...main.slice(1)];
  const next = [...main, { role: "assistant", content: "hello" }, user("go on")];
  for (const messages of [main, title, next]) await json(await postChat(target, { messages }, { headers }));
  const [first, side, second] = engine.runs.map((run) => run.spec.conversation);
  expect(side?.id).not.toBe(first?.id ?? "");
  expect(second).toEqual({ id: first?.id ?? "", turn: 2 });
  // Its warm work is dropped by its own next request alone.
  expect(engine.dropped).toEqual([first?.id ?? "", side?.id ?? "", first?.id ?? ""]);
});

test("34: a long call starts with its name, no delta is empty, and nothing else is in a chunk", async () => {
  const { server, target } = open();
  server.engine.script = () => ({
    text: `<tool_call>\n{"name": "add", "arguments": {"a": "${"x".repeat(500)}"}}\n</tool_call>`,
  });
  const chunks = await streamChat(target, { messages: USER, tools: [ADD_TOOL] });
  const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
  expect(calls[0]).toMatchObject({ index: 0, type: "function", function: { name: "add", arguments: "" } });
  expect(calls.length).toBeGreaterThan(400);
  for (const call of calls.slice(1)) expect(call.function.arguments).not.toBe("");
  const known = ["id", "object", "created", "model", "system_fingerprint", "choices"];
  // The last chunk tells what the reply took.
  for (const chunk of chunks.slice(0, -1)) expect(Object.keys(chunk).sort()).toEqual([...known].sort());
});
