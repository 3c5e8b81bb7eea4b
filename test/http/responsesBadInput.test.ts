/** Bodies of `/v1/responses` that are refused: OpenAI's error form, with the field's path in `param`. */
import { expect, test } from "bun:test";
import { get, json } from "../support/httpClient.ts";
import { processorTime } from "../support/processorTime.ts";
import { ADD, assistant, call, HI, item, output, post, reasoning, response, user } from "./responsesWire.ts";
import { onEachTarget } from "./targets.ts";

const input = (...items: unknown[]) => ({ ...HI, input: items });
const allowed = (more: object) => ({ ...HI, tools: [ADD], tool_choice: { type: "allowed_tools", ...more } });

/** What it is, the body, the field, and what the message says. */
const CASES: readonly (readonly [string, unknown, string | null, string])[] = [
  ["no body", "", null, "The body is empty"],
  [
    "top_logprobs of the wrong type",
    { ...HI, top_logprobs: "5" },
    "top_logprobs",
    "from 0 to 20, not a string",
  ],
  ["too many of them", { ...HI, top_logprobs: 21 }, "top_logprobs", "from 0 to 20, not 21"],
  ["half of one", { ...HI, top_logprobs: 0.5 }, "top_logprobs", "not 0.5"],
  ["less than none", { ...HI, top_logprobs: -1 }, "top_logprobs", "not -1"],
  ["no JSON", "{", null, "position 1"],
  ["text behind", "{} x", null, "not valid JSON"],
  ["no object", "[]", "body", "not an array"],
  ["nothing in it", {}, "input", "a string or an array of items, not nothing"],
  ["input of the wrong type", { ...HI, input: 5 }, "input", "not a number"],
  ["input that is one item", { ...HI, input: user("x") }, "input", "not an object"],
  ["no items", input(), "input", "at least one item"],
  ["nothing but blank instructions", input({ type: "compaction", id: "c" }), "input", "nothing that a model"],
  ["an item that is none", input("x"), "input[0]", "must be an object, not a string"],
  ["an unknown item", input({ type: "hologram" }), "input[0].type", '"hologram"'],
  ["a type that is none", input({ type: 5, role: "user" }), "input[0].type", "not a number"],
  ["an unknown role", input(item("tool", "x")), "input[0].role", 'not "tool"'],
  ["a role of the wrong type", input(item(1 as never, "x")), "input[0].role", "not a number"],
  ["no role", input({ type: "message", content: "x" }), "input[0].role", "not nothing"],
  ["no content", input({ role: "user" }), "input[0].content", "not nothing"],
  ["content of the wrong type", input(user(5)), "input[0].content", "not a number"],
  ["content that is an object", input(user({})), "input[0].content", "not an object"],
  ["a part that is none", input(user(["x"])), "input[0].content[0]", "not a string"],
  ["an unknown part", input(user([{ type: "smell" }])), "input[0].content[0].type", '"smell"'],
  ["a part without its type", input(user([{ text: "x" }])), "input[0].content[0].type", "not nothing"],
  [
    "text that is none",
    input(user([{ type: "input_text", text: 5 }])),
    "input[0].content[0].text",
    "a string",
  ],
  ["a summary that is none", input(reasoning("", { summary: "x" })), "input[0].summary", "an array"],
  ["a summary without text", input(reasoning("", { summary: [{}] })), "input[0].summary[0].text", "nothing"],
  ["reasoning that is none", input(reasoning("x", { content: {} })), "input[0].content", "an array"],
  ["a call without an id", input(call(undefined as never)), "input[0].call_id", "not nothing"],
  ["a call with an empty id", input(call("")), "input[0].call_id", "an empty one"],
  ["a call without a name", input(call("1", "{}", { name: null })), "input[0].name", "not null"],
  ["arguments that are an array", input(call("1", [] as never)), "input[0].arguments", "an array"],
  ["a namespace that is none", input(call("1", "{}", { namespace: 5 })), "input[0].namespace", "a number"],
  [
    "custom input that is none",
    input({ ...call("1"), type: "custom_tool_call", input: {} }),
    "input[0].input",
    "",
  ],
  ["two calls of one id", input(call("1"), call("1")), "input[1].call_id", '"1"'],
  [
    "two outputs of one call",
    input(call("1"), output("1", "x"), output("1", "y")),
    "input[2].call_id",
    "already",
  ],
  ["an output that is a number", input(call("1"), output("1", 3)), "input[1].output", "not a number"],
  [
    "an unknown part in an output",
    input(call("1"), output("1", [{ type: "x" }])),
    "input[1].output[0].type",
    "",
  ],
  ["a reference without an id", input({ type: "item_reference" }), "input[0].id", "not nothing"],
  ["instructions that are none", { ...HI, instructions: 5 }, "instructions", "a string"],
  ["tools of the wrong type", { ...HI, tools: {} }, "tools", "must be an array"],
  ["a tool that is none", { ...HI, tools: ["add"] }, "tools[0]", "must be an object"],
  ["a tool without a type", { ...HI, tools: [{ name: "x" }] }, "tools[0].type", "not nothing"],
  ["a tool in chat's form", { ...HI, tools: [{ type: "function", function: ADD }] }, "tools[0].name", ""],
  ["two tools of one name", { ...HI, tools: [ADD, ADD] }, "tools[1].name", '"add"'],
  [
    "a schema that is none",
    { ...HI, tools: [{ ...ADD, parameters: [] }] },
    "tools[0].parameters",
    "an object",
  ],
  ["a description that is none", { ...HI, tools: [{ ...ADD, description: 1 }] }, "tools[0].description", ""],
  ["a namespace without tools", { ...HI, tools: [{ type: "namespace", name: "n" }] }, "tools[0].tools", ""],
  [
    "a bad tool in a namespace",
    { ...HI, tools: [{ type: "namespace", name: "n", tools: [{ type: "function" }] }] },
    "tools[0].tools[0].name",
    "",
  ],
  [
    "a grammar without its text",
    { ...HI, tools: [{ type: "custom", name: "p", format: { type: "grammar", syntax: "lark" } }] },
    "tools[0].format.definition",
    "",
  ],
  ["tool_choice of the wrong type", { ...HI, tool_choice: 5 }, "tool_choice", "not a number"],
  ["an unknown tool_choice", { ...HI, tool_choice: "any" }, "tool_choice", '"any"'],
  ["a hosted tool_choice", { ...HI, tool_choice: { type: "web_search" } }, "tool_choice.type", "web_search"],
  ["a call of nothing", { ...HI, tool_choice: "required" }, "tool_choice", "no tool to call"],
  [
    "a call of an unknown tool",
    { ...HI, tools: [ADD], tool_choice: { type: "function", name: "sub" } },
    "tool_choice.name",
    "add",
  ],
  ["an unknown mode", allowed({ mode: "x", tools: [] }), "tool_choice.mode", '"x"'],
  ["no allowed tools", allowed({ mode: "required", tools: [] }), "tool_choice", "no tool to call"],
  [
    "an unknown allowed tool",
    allowed({ mode: "auto", tools: [{ type: "function", name: "no" }] }),
    "tool_choice.tools[0].name",
    "add",
  ],
  ["too many tools", { ...HI, tools: Array(1025).fill({ type: "web_search" }) }, "tools[1024]", "1024 tools"],
  [
    "too many allowed tools",
    allowed({ mode: "auto", tools: Array(1025).fill({ type: "function", name: "add" }) }),
    "tool_choice.tools",
    "at most 1024",
  ],
  ["too many items", input(...Array(20_001).fill(user("x"))), "input", "20001 items; at most 20000"],
  ["a conversation", { ...HI, conversation: "conv_1" }, "conversation", "not served"],
  ["a stored prompt", { ...HI, prompt: { id: "pmpt_1" } }, "prompt", "no prompts"],
  ["text that is no object", { ...HI, text: "x" }, "text", "must be an object"],
  ["an unknown format", { ...HI, text: { format: { type: "yaml" } } }, "text.format.type", '"yaml"'],
  [
    "a format without its schema",
    { ...HI, text: { format: { type: "json_schema", name: "a" } } },
    "text.format.schema",
    "missing",
  ],
  [
    "a format that no grammar can hold",
    {
      ...HI,
      text: { format: { type: "json_schema", schema: { properties: { a: { not: { type: "null" } } } } } },
    },
    "text.format.schema.properties.a.not",
    "`not`",
  ],
  [
    "a grammar and a format",
    { ...HI, text: { format: { type: "json_object" } }, grammar: "root ::= [a]" },
    "grammar",
    "",
  ],
  ["an effort that is none", { ...HI, reasoning: { effort: 5 } }, "reasoning.effort", "a string"],
  ["reasoning in words", { ...HI, reasoning: "high" }, "reasoning", "must be an object"],
  ["include in words", { ...HI, include: "all" }, "include", "must be an array"],
  ["a model that is no name", { ...HI, model: 5 }, "model", "must be a string"],
  ["a limit below 0", { ...HI, max_output_tokens: -1 }, "max_output_tokens", "at least 0, not -1"],
  ["a limit with a fraction", { ...HI, max_output_tokens: 1.5 }, "max_output_tokens", "a whole number"],
  ["an endless limit", '{"input":"x","max_output_tokens":1e999}', "max_output_tokens", "not 1e999"],
  ["top_p above 1", { ...HI, top_p: 2 }, "top_p", "from 0 to 1"],
  ["a temperature in words", { ...HI, temperature: "hot" }, "temperature", "not a string"],
  ["stream in words", { ...HI, stream: "yes" }, "stream", "true or false"],
  ["store in words", { ...HI, store: "no" }, "store", "true or false"],
  ["parallel calls in words", { ...HI, parallel_tool_calls: 1 }, "parallel_tool_calls", "true or false"],
  [
    "a previous response that is none",
    { ...HI, previous_response_id: 5 },
    "previous_response_id",
    "a string",
  ],
  [
    "a grammar and a forced call",
    { ...HI, tools: [ADD], tool_choice: "required", grammar: 'root ::= "x"' },
    "grammar",
    "tool_choice",
  ],
];

onEachTarget("bad input of responses", (open) => {
  test.each(CASES)("%s", async (_, body, param, says) => {
    await using opened = open();
    const answer = await post(opened.target, body);
    const { error } = await json(answer);
    expect([answer.status, error.type, error.param]).toEqual([400, "invalid_request_error", param]);
    expect(error.message).toContain(says);
    expect(error.message).not.toContain("    at ");
    expect(opened.server.engine.runs).toEqual([]);
    expect(opened.server.errors).toEqual([]);
  });

  test("what is empty, unknown or absurd and still means something is answered", async () => {
    await using opened = open();
    for (const body of [
      { input: "" },
      input(user("")),
      input(user("x"), assistant([]), user("y")),
      input(user("x"), call("1")),
      {
        ...HI,
        instructions: null,
        tools: null,
        tool_choice: null,
        text: null,
        reasoning: null,
        include: null,
      },
      { ...HI, text: { format: { type: "text" }, verbosity: "low" }, metadata: 5, user: 5, service_tier: {} },
      { ...HI, max_output_tokens: 1e15, max_tool_calls: [], stream_options: 5, betas: {} },
    ]) {
      expect([JSON.stringify(body), (await post(opened.target, body)).status]).toEqual([
        JSON.stringify(body),
        200,
      ]);
    }
    expect(opened.server.errors).toEqual([]);
  });

  test("nine thousand calls with their outputs take no quadratic time", async () => {
    await using opened = open({ ready: { ctxTokens: 1e6 } });
    const ids = Array.from({ length: 9_000 }, (_, index) => `c${index}`);
    const items = [user("x"), ...ids.map((id) => call(id)), ...ids.map((id) => output(id, "")).reverse()];
    const used = processorTime();
    expect((await post(opened.target, input(...items))).status).toBe(200);
    expect(used()).toBeLessThan(5_000);
  });

  test("ids that nothing is stored under are a 404 that names them", async () => {
    await using opened = open({ apiKeys: ["one", "two"] });
    const { server, target } = opened;
    const one = { headers: { authorization: "Bearer one" } };
    const two = { headers: { authorization: "Bearer two" } };
    const { id, output: items } = await response(target, {}, one);
    const kept = await response(target, { store: false }, one);
    await response(target, {}, two);
    const runs = server.engine.runs.length;
    for (const [previous, options] of [
      ["resp_none", one],
      [kept.id, one],
      // Another key's.
      [id, two],
    ] as const) {
      const answer = await post(target, { ...HI, previous_response_id: previous }, options);
      expect(answer.status).toBe(404);
      const { error } = await json(answer);
      expect([error.code, error.param]).toEqual(["not_found", "previous_response_id"]);
      expect(error.message).toContain(`"${previous}"`);
      const read = await get(target, `/v1/responses/${previous}`, options);
      expect([read.status, (await json(read)).error.code]).toEqual([404, "not_found"]);
      const gone = await get(target, `/v1/responses/${previous}`, { ...options, method: "DELETE" });
      expect([gone.status, (await json(gone)).error.code]).toEqual([404, "not_found"]);
    }
    for (const [itemId, options] of [
      ["msg_none", one],
      [kept.output[0].id, one],
      [items[0].id, two],
    ] as const) {
      for (const type of ["item_reference", undefined]) {
        const answer = await post(target, input(user("x"), { type, id: itemId }), options);
        const { error } = await json(answer);
        expect([answer.status, error.code, error.param]).toEqual([404, "not_found", "input[1].id"]);
      }
    }
    expect(server.engine.runs.length).toBe(runs);
  });

  test("JSON that is too deep, bytes that are no UTF-8, a foreign content type, a body above the limit", async () => {
    await using opened = open({ limits: { bodyBytesMax: 200_000 } });
    const deep = await post(opened.target, `{"input":${"[".repeat(100_000)}`);
    expect([deep.status, (await json(deep)).error.message]).toEqual([
      400,
      expect.stringContaining("Nested deeper than 256 levels"),
    ]);
    const bytes = new Request(`${opened.target.url}/v1/responses`, {
      method: "POST",
      body: Uint8Array.of(0xff),
    });
    expect((await opened.target.fetch(bytes)).status).toBe(400);
    const form = await post(opened.target, HI, {
      headers: { "content-type": "multipart/form-data; boundary=x" },
    });
    expect([form.status, (await json(form)).error.code]).toEqual([415, "unsupported_media_type"]);
    const large = await post(opened.target, { input: "x".repeat(200_001) });
    expect([large.status, (await json(large)).error.code]).toEqual([413, "request_too_large"]);
  });

  test("no key, a wrong key", async () => {
    await using opened = open({ apiKeys: ["one"] });
    for (const headers of [{}, { authorization: "Bearer two" }]) {
      const { target } = opened;
      for (const answer of [
        await post(target, HI, { headers }),
        await get(target, "/v1/responses/x", { headers }),
      ]) {
        expect([answer.status, (await json(answer)).error.code]).toEqual([401, "invalid_api_key"]);
      }
    }
  });

  test("while loading and closing, above the queue's limit, and by a foreign method", async () => {
    await using opened = open({ limits: { queueMax: 1 } });
    const { server, target } = opened;
    for (const phase of ["loading", "closing"] as const) {
      server.phase = phase;
      const answer = await post(target, HI);
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
    }
    server.phase = "ready";
    server.engine.script = () => ({ text: "x", hold: "prefill" });
    const started = server.engine.nextRun();
    const first = post(target, HI);
    const run = await started;
    const second = await post(target, HI);
    expect([second.status, (await json(second)).error.code]).toEqual([429, "queue_full"]);
    run.release();
    expect((await first).status).toBe(200);
    const wrong = await get(target, "/v1/responses");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  });
});
