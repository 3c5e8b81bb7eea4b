/** Bodies of `/v1/messages` that are refused: in Anthropic's form, and the message begins with the field's path. */
import { expect, test } from "bun:test";
import { get, json } from "../support/httpClient.ts";
import { ADD, assistant, HI, post, result, system, use, user } from "./anthropicWire.ts";
import { onEachTarget } from "./targets.ts";

const COUNT = "/v1/messages/count_tokens";
const CALLED = [user("x"), assistant([use("1")])];
const messages = (...list: unknown[]) => ({ ...HI, messages: list });

/** What it is, the body, how the message begins, and what else it says. */
const PROMPTS: readonly (readonly [string, unknown, string, string])[] = [
  ["no body", "", "The body is empty", ""],
  ["no JSON", "{", "The body is not valid JSON", "position 1"],
  ["text behind", "{} x", "The body is not valid JSON", ""],
  ["no object", "[]", "body: ", "must be an object, not an array"],
  ["nothing in it", {}, "messages: ", "must be an array, not nothing"],
  ["messages of the wrong type", { ...HI, messages: "hi" }, "messages: ", "not a string"],
  ["no messages", messages(), "messages: ", "at least one message"],
  ["nothing but blank system text", messages(system(" ")), "messages: ", "blank system text"],
  ["a message that is none", messages(1), "messages[0]: ", "must be an object, not a number"],
  ["an unknown role", messages({ role: "tool", content: "x" }), "messages[0].role: ", 'not "tool"'],
  ["a role of the wrong type", messages({ role: 1, content: "x" }), "messages[0].role: ", "not a number"],
  ["no role", messages({ content: "x" }), "messages[0].role: ", "not nothing"],
  ["no content", messages({ role: "user" }), "messages[0].content: ", "not nothing"],
  ["content of the wrong type", messages(user(5)), "messages[0].content: ", "not a number"],
  ["content that is an object", messages(user({})), "messages[0].content: ", "not an object"],
  ["a block that is none", messages(user(["x"])), "messages[0].content[0]: ", "not a string"],
  ["an unknown block", messages(user([{ type: "hologram" }])), "messages[0].content[0].type: ", "hologram"],
  [
    "a block without its type",
    messages(user([{ text: "x" }])),
    "messages[0].content[0].type: ",
    "not nothing",
  ],
  [
    "text that is none",
    messages(user([{ type: "text", text: 5 }])),
    "messages[0].content[0].text: ",
    "a string",
  ],
  [
    "thinking by a user",
    messages(user([{ type: "thinking", thinking: "x" }])),
    "messages[0].content[0].type: ",
    "",
  ],
  ["a call by a user", messages(user([use("1")])), "messages[0].content[0].type: ", "tool_use"],
  [
    "thinking without its text",
    messages(assistant([{ type: "thinking" }])),
    "messages[0].content[0].thinking: ",
    "",
  ],
  [
    "a call without an id",
    messages(assistant([{ ...use("1"), id: undefined }])),
    "messages[0].content[0].id: ",
    "",
  ],
  ["a call with an empty id", messages(assistant([use("")])), "messages[0].content[0].id: ", "an empty one"],
  [
    "a call without a name",
    messages(assistant([{ ...use("1"), name: null }])),
    "messages[0].content[0].name: ",
    "",
  ],
  [
    "input that is an array",
    messages(assistant([use("1", [])])),
    "messages[0].content[0].input: ",
    "an object",
  ],
  ["two calls of one id", messages(assistant([use("1"), use("1")])), "messages[0].content[1].id: ", '"1"'],
  [
    "two results of one call",
    messages(...CALLED, user([result("1", "x"), result("1", "y")])),
    "messages[2].content[1].tool_use_id: ",
    "already",
  ],
  [
    "a result that is a number",
    messages(...CALLED, user([result("1", 3)])),
    "messages[2].content[0].content: ",
    "",
  ],
  [
    "an unknown block in a result",
    messages(...CALLED, user([result("1", [{ type: "x" }])])),
    "messages[2].content[0].content[0].type: ",
    "",
  ],
  [
    "is_error in words",
    messages(...CALLED, user([result("1", "x", { is_error: "no" })])),
    "messages[2].content[0].is_error: ",
    "true or false",
  ],
  ["a system prompt that is a number", { ...HI, system: 5 }, "system: ", "not a number"],
  ["tools of the wrong type", { ...HI, tools: {} }, "tools: ", "must be an array"],
  ["a tool that is none", { ...HI, tools: ["add"] }, "tools[0]: ", "must be an object"],
  ["a tool without a name", { ...HI, tools: [{ input_schema: {} }] }, "tools[0].name: ", "non-empty string"],
  ["two tools of one name", { ...HI, tools: [ADD, ADD] }, "tools[1].name: ", '"add"'],
  ["a type that is none", { ...HI, tools: [{ ...ADD, type: 5 }] }, "tools[0].type: ", "must be a string"],
  [
    "a schema that is none",
    { ...HI, tools: [{ ...ADD, input_schema: [] }] },
    "tools[0].input_schema: ",
    "an object",
  ],
  [
    "a description that is none",
    { ...HI, tools: [{ ...ADD, description: 1 }] },
    "tools[0].description: ",
    "",
  ],
  ["too many tools", { ...HI, tools: Array(1025).fill(ADD) }, "tools: ", "at most 1024"],
  [
    "an unknown choice",
    { ...HI, tools: [ADD], tool_choice: { type: "maybe" } },
    "tool_choice.type: ",
    '"maybe"',
  ],
  [
    "a choice in OpenAI's form",
    { ...HI, tools: [ADD], tool_choice: "auto" },
    "tool_choice: ",
    "must be an object",
  ],
  ["a forced call without tools", { ...HI, tool_choice: { type: "any" } }, "tool_choice: ", "none to call"],
  [
    "a forced call of an unknown tool",
    { ...HI, tools: [ADD], tool_choice: { type: "tool", name: "sub" } },
    "tool_choice.name: ",
    "not among the tools: add",
  ],
  [
    "parallel calls in words",
    { ...HI, tools: [ADD], tool_choice: { type: "auto", disable_parallel_tool_use: "no" } },
    "tool_choice.disable_parallel_tool_use: ",
    "",
  ],
  ["unknown thinking", { ...HI, thinking: { type: "deep" } }, "thinking.type: ", '"deep"'],
  ["thinking in words", { ...HI, thinking: "on" }, "thinking: ", "must be an object"],
  ["a model that is no name", { ...HI, model: 5 }, "model: ", "must be a string"],
];

const OTHERS: readonly (readonly [string, unknown, string, string])[] = [
  [
    "a grammar and a forced call",
    { ...HI, tools: [ADD], tool_choice: { type: "any" }, grammar: 'root ::= "x"' },
    "grammar: ",
    "cannot be combined",
  ],
  ["too many messages", messages(...Array(20_001).fill(user("x"))), "messages: ", "more than 20000"],
  [
    "too many results",
    messages(
      assistant(Array.from({ length: 20_001 }, (_, i) => use(`${i}`))),
      user(Array.from({ length: 20_001 }, (_, i) => result(`${i}`, "x"))),
    ),
    "messages: ",
    "more than 20000",
  ],
  [
    "a format that is none",
    { ...HI, output_config: { format: { type: "xml" } } },
    "output_config.format.type: ",
    '"xml"',
  ],
  ["a format in words", { ...HI, output_config: { format: "json" } }, "output_config.format: ", "an object"],
  [
    "a schema that is none",
    { ...HI, output_format: { type: "json_schema", schema: "x" } },
    "output_format.schema: ",
    "an object",
  ],
  [
    "a schema that cannot be held",
    { ...HI, output_config: { format: { type: "json_schema", schema: { type: "nothing" } } } },
    "output_config.format.schema.type: ",
    "type",
  ],
  [
    "a grammar and a schema",
    { ...HI, grammar: 'root ::= "x"', output_format: { type: "json_schema", schema: { type: "object" } } },
    "grammar: ",
    "output_format.schema",
  ],
  [
    "a budget in words",
    { ...HI, thinking: { type: "enabled", budget_tokens: "much" } },
    "thinking.budget_tokens: ",
    "a whole number",
  ],
  ["a limit below 0", { ...HI, max_tokens: -1 }, "max_tokens: ", "at least 0, not -1"],
  ["a limit with a fraction", { ...HI, max_tokens: 1.5 }, "max_tokens: ", "a whole number"],
  ["a limit in words", { ...HI, max_tokens: "many" }, "max_tokens: ", "not a string"],
  ["an endless limit", JSON.stringify(HI).replace("64", "1e999"), "max_tokens: ", "not 1e999"],
  [
    "an endless temperature",
    '{"messages":[{"role":"user","content":"x"}],"temperature":1e999}',
    "temperature: ",
    "",
  ],
  ["top_p above 1", { ...HI, top_p: 2 }, "top_p: ", "from 0 to 1"],
  ["top_k with a fraction", { ...HI, top_k: 0.5 }, "top_k: ", "a whole number"],
  ["stream in words", { ...HI, stream: "yes" }, "stream: ", "true or false"],
  ["a stop that is none", { ...HI, stop_sequences: ["a", 1] }, "stop_sequences[1]: ", "must be a string"],
  ["too many stops", { ...HI, stop_sequences: Array(17).fill("x") }, "stop_sequences: ", "at most 16"],
  [
    "a stop that is too long",
    { ...HI, stop_sequences: ["x".repeat(513)] },
    "stop_sequences[0]: ",
    "at most 512",
  ],
];

const CASES = [
  ...PROMPTS.flatMap((one) => [["/v1/messages", ...one] as const, [COUNT, ...one] as const]),
  ...OTHERS.map((one) => ["/v1/messages", ...one] as const),
];

onEachTarget("bad input in Anthropic's form", (open) => {
  test.each(CASES)("%s: %s", async (path, _, body, begins, says) => {
    await using opened = open();
    const response = await post(opened.target, body, { path });
    const sent = await json(response);
    expect([response.status, sent.type, sent.error.type]).toEqual([400, "error", "invalid_request_error"]);
    expect(sent.request_id).toBe(response.headers.get("request-id"));
    expect(sent.error.message).toStartWith(begins);
    expect(sent.error.message).toContain(says);
    expect(sent.error.message).not.toContain("    at ");
    expect(opened.server.engine.runs).toEqual([]);
    expect(opened.server.errors).toEqual([]);
  });

  test("what is empty, unknown or absurd and still means something is answered", async () => {
    await using opened = open();
    for (const body of [
      messages(user("")),
      messages(user([])),
      messages(user("x"), assistant([]), user("y")),
      messages(...CALLED),
      { ...HI, tools: [], system: [], stop_sequences: [], metadata: 5, output_config: "x" },
      { ...HI, max_tokens: 1e15, top_k: 1e9 },
      { ...HI, context_management: { edits: [{ type: "x" }] }, betas: ["y"], speed: {}, diagnostics: [] },
      { messages: HI.messages },
    ]) {
      expect([JSON.stringify(body), (await post(opened.target, body)).status]).toEqual([
        JSON.stringify(body),
        200,
      ]);
    }
    expect(opened.server.errors).toEqual([]);
  });

  test("JSON that is too deep, also in an input", async () => {
    await using opened = open();
    const deep = `${"[".repeat(1000)}${"]".repeat(1000)}`;
    const input = JSON.stringify(messages(assistant([use("1", { a: 0 })]))).replace('"a":0', `"a":${deep}`);
    for (const body of [`{"messages":${"[".repeat(100_000)}`, input]) {
      const response = await post(opened.target, body);
      expect(response.status).toBe(400);
      expect((await json(response)).error.message).toContain("Nested deeper than 256 levels");
    }
  });

  test("bytes that are no UTF-8, and a content type that is no JSON", async () => {
    await using opened = open();
    const bytes = new Request(`${opened.target.url}/v1/messages`, {
      method: "POST",
      body: Uint8Array.of(0x22, 0xff),
    });
    const broken = await opened.target.fetch(bytes);
    expect([broken.status, (await json(broken)).error.type]).toEqual([400, "invalid_request_error"]);
    const form = await post(opened.target, HI, {
      headers: { "content-type": "multipart/form-data; boundary=x" },
    });
    expect([form.status, (await json(form)).error.type]).toEqual([415, "invalid_request_error"]);
  });

  test("a body above the limit", async () => {
    await using opened = open({ limits: { bodyBytesMax: 1000 } });
    const response = await post(opened.target, messages(user("x".repeat(2000))));
    expect([response.status, (await json(response)).error.type]).toEqual([413, "request_too_large"]);
  });

  test("no key, a wrong key", async () => {
    await using opened = open({ apiKeys: ["one"] });
    const headers: Record<string, string>[] = [{}, { "x-api-key": "two" }, { authorization: "Bearer two" }];
    for (const path of ["/v1/messages", COUNT]) {
      for (const sent of headers) {
        const response = await post(opened.target, HI, { headers: sent, path });
        expect([response.status, (await json(response)).error.type]).toEqual([401, "authentication_error"]);
      }
    }
    for (const sent of [{ "x-api-key": "one" }, { authorization: "Bearer one" }]) {
      expect((await post(opened.target, HI, { headers: sent })).status).toBe(200);
    }
  });

  test("while loading and closing, and above the queue's limit", async () => {
    await using opened = open({ limits: { queueMax: 1 } });
    const { server, target } = opened;
    for (const phase of ["loading", "closing"] as const) {
      server.phase = phase;
      const response = await post(target, HI);
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
      expect((await json(response)).error.type).toBe("overloaded_error");
    }
    server.phase = "ready";
    server.engine.script = () => ({ text: "x", hold: "prefill" });
    const started = server.engine.nextRun();
    const first = post(target, HI);
    const run = await started;
    const second = await post(target, HI);
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "2"]);
    expect((await json(second)).error.type).toBe("rate_limit_error");
    run.release();
    expect((await first).status).toBe(200);
  });

  test("foreign methods, and foreign paths where Anthropic's SDK asks", async () => {
    await using opened = open();
    const wrong = await get(opened.target, "/v1/messages");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await json(wrong)).type).toBe("error");
    const batches = await get(opened.target, "/v1/messages/batches");
    expect([batches.status, (await json(batches)).error.type]).toEqual([404, "not_found_error"]);
    const headers = { "anthropic-version": "2023-06-01" };
    expect(await json(await get(opened.target, "/v1/files", { headers }))).toMatchObject({
      type: "error",
      error: { type: "not_found_error", message: "There is nothing at /v1/files." },
    });
  });
});
