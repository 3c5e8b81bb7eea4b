/** What real clients met elsewhere, by the numbers of the study of clients; those of Anthropic's protocol. */
import { expect, test } from "bun:test";
import { json } from "../support/httpClient.ts";
import {
  ADD,
  assistant,
  events,
  HI,
  message,
  post,
  result,
  system,
  text,
  use,
  user,
} from "./anthropicWire.ts";
import { fiveMinutes, HOLDS, leaves, open, prompts } from "./scenarioRig.ts";

const billing = (hash: string) =>
  text(`x-anthropic-billing-header: cc_version=2.1.332.${hash}; cc_entrypoint=cli; cch=${hash};`);

test("1: requests that differ in the billing line alone have the same prompt and conversation", async () => {
  const { server, target } = open();
  const messages = [user("hi ".repeat(100))];
  for (const hash of ["0a1b2", "ffffffff"]) {
    await message(target, { messages, system: [billing(hash), text("You are Claude Code.")] });
  }
  const [a, b] = server.engine.runs.map((run) => run.spec);
  expect(b?.plan.keys).toEqual(a?.plan.keys ?? new BigUint64Array());
  expect(b?.conversation.id).toBe(a?.conversation.id ?? "");
  expect(prompts(server)[0]).toStartWith("<system>You are Claude Code.<user>");
});

test("2: a system message in the list is taken, and stays in its place", async () => {
  const { server, target } = open();
  await message(target, { system: "s", messages: [user("a"), system("env"), assistant("b"), user("c")] });
  expect(prompts(server)[0]).toBe("<system>s<user>a<system>env<assistant>b<user>c");
});

test("3: with a system message behind each tool result the prompt only grows", async () => {
  const { server, target } = open();
  const messages: unknown[] = [user("start")];
  for (let turn = 0; turn < 4; turn += 1) {
    await message(target, { system: "s", tools: [ADD], messages });
    const left = `<total_tokens>${9000 - turn} tokens left</total_tokens>`;
    messages.push(assistant([text("ok"), use(`c${turn}`)]), user([result(`c${turn}`, "3")]), system(left));
  }
  const sent = prompts(server);
  for (const [turn, prompt] of sent.entries()) expect(sent[turn + 1] ?? prompt).toStartWith(prompt);
});

test("4: count_tokens gives a number, counts tools and system, and survives pictures", async () => {
  const { server, target } = open();
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };
  const body = { system: "s", tools: [ADD], messages: [user([image, text("what is it?")])] };
  const response = await post(target, body, { path: "/v1/messages/count_tokens?beta=true" });
  expect([response.status, await json(response)]).toEqual([
    200,
    { input_tokens: "<system>s<user>[image omitted]\nwhat is it?".length },
  ]);
  expect(server.prompts[0]?.tools.map((tool) => tool.name)).toEqual(["add"]);
});

test("5: message_start knows the input's tokens", async () => {
  const { target } = open();
  const [start] = await events(target, {});
  expect(start.message.usage.input_tokens).toBe("<user>hi".length);
});

test("7: reasoning then text are blocks of their own under one message_start", async () => {
  const { server, target } = open({ opensReasoning: true });
  server.engine.script = () => ({ text: "hm\n</think>\n\nhello" });
  const sent = await events(target, {});
  expect(sent.filter(({ type }) => type === "message_start").length).toBe(1);
  const starts = sent.filter(({ type }) => type === "content_block_start");
  expect(starts.map(({ index, content_block }) => [index, content_block.type])).toEqual([
    [0, "thinking"],
    [1, "text"],
  ]);
  for (const { index, delta } of sent.filter(({ type }) => type === "content_block_delta")) {
    expect(["thinking_delta", "signature_delta"].includes(delta.type)).toBe(index === 0);
  }
});

test("8: thinking, tool, thinking, tool in one message keep their order", async () => {
  const { server, target } = open();
  const thinking = (value: string) => ({ type: "thinking", thinking: value, signature: "" });
  await message(target, {
    tools: [ADD],
    messages: [
      user("x"),
      assistant([thinking("one"), use("1"), thinking("two"), text("so"), use("2")]),
      user([result("2", "b"), result("1", "a"), text("go on")]),
    ],
  });
  expect(server.prompts[0]?.messages.slice(1)).toMatchObject([
    { role: "assistant", reasoning: "one", content: "", toolCalls: [{ id: "1" }] },
    { role: "tool", content: "a" },
    { role: "assistant", reasoning: "two", content: "so", toolCalls: [{ id: "2" }] },
    { role: "tool", content: "b" },
    { role: "user", content: "go on" },
  ]);
});

test("10: the schemas of real tools are taken, also where a call is forced", async () => {
  const { target } = open();
  const properties = {
    path: { type: "string", pattern: "^\\/[a-z\\-]+$", maxLength: 65536 },
    list: { type: "array", items: { type: "string", pattern: "[0-9]" }, minItems: 1 },
    map: {
      type: "object",
      propertyNames: { pattern: "x" },
      additionalProperties: { anyOf: [{}, { type: "null" }] },
    },
    n: { type: "integer", exclusiveMinimum: 0 },
  };
  const tools = [{ ...ADD, input_schema: { $schema: "x", type: "object", properties, required: ["path"] } }];
  for (const type of ["auto", "any"]) {
    expect((await post(target, { ...HI, tools, tool_choice: { type } })).status).toBe(200);
  }
});

test("11: a title's schema holds the answer; one that cannot be read is refused", async () => {
  const { server, target } = open();
  const ask = (schema: object): Promise<Response> =>
    post(target, { ...HI, output_config: { effort: "low", format: { type: "json_schema", schema } } });
  const properties = { title: { type: "string" } };
  const title = { type: "object", properties, required: ["title"], additionalProperties: false };
  expect((await ask(title)).status).toBe(200);
  expect(server.engine.runs[0]?.spec.sampling?.grammar).toContain('\\"title\\"');
  const refused = await ask({ $ref: "#/nowhere" });
  expect([refused.status, (await json(refused)).type]).toEqual([400, "error"]);
});

for (const hold of HOLDS) {
  test(`20: a client that leaves in ${hold} ends its run`, () =>
    leaves(hold, (target, options) => post(target, { ...HI, stream: true }, options)));
}

test("21: five minutes without a word are told by pings, not by empty deltas", async () => {
  const { sent, end } = await fiveMinutes("event: ping\n", "event: ping\n", (target) =>
    post(target, { ...HI, stream: true }),
  );
  expect(sent()).not.toContain("content_block");
  await end();
  expect(sent()).toEndWith('{"type":"message_stop"}\n\n');
});

test("24: a prompt that is too long is the error that clients know, with both numbers", async () => {
  const { target } = open({ ready: { ctxTokens: 100 } });
  for (const stream of [true, false]) {
    const response = await post(target, { ...HI, stream, messages: [user("x".repeat(200))] });
    const { error } = await json(response);
    expect([response.status, error.type]).toEqual([400, "invalid_request_error"]);
    expect(error.message).toContain("prompt is too long: 206 tokens > 99 maximum");
  }
});

test("26: thinking that did not come back is no error", async () => {
  const { server, target } = open();
  const thinking = { type: "enabled", budget_tokens: 1024 };
  const messages = [user("x"), assistant([use("1")]), user([result("1", "3")])];
  await message(target, { tools: [ADD], thinking, messages });
  expect(server.prompts[0]?.messages[1]).toMatchObject({ reasoning: "" });
});

test("31: a title request between turns leaves the main conversation its place", async () => {
  const { server, target } = open();
  const { engine } = server;
  const headers = { "x-claude-code-session-id": "one", "user-agent": "claude-cli/2.1.332" };
  const main = [user("Please mend the roof of the shed. ".repeat(10))];
  const title = {
    system: "Write a title. ".repeat(10),
    messages: main,
    output_config: { format: { type: "json_schema", schema: { type: "object" } } },
  };
  await message(target, { system: "You are Claude Code. ".repeat(10), messages: main }, { headers });
  await message(target, title, { headers });
  const next = [...main, assistant("hello"), user("go on")];
  await message(target, { system: "You are Claude Code. ".repeat(10), messages: next }, { headers });
  const [first, side, second] = engine.runs.map((run) => run.spec.conversation);
  expect(side?.id).not.toBe(first?.id ?? "");
  expect(second).toEqual({ id: first?.id ?? "", turn: 2 });
  // Its warm work is dropped by its own next request alone.
  expect(engine.dropped).toEqual([first?.id ?? "", side?.id ?? "", first?.id ?? ""]);
});
