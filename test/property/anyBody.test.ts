/** Whatever is put into whatever place of a body, an endpoint answers or refuses by name: never a 5xx. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fakeServer } from "../support/FakeServer.ts";
import { inProcess, type Loose, postChat } from "../support/httpClient.ts";
import { contentOf, documentation } from "../support/openApi/documentation.ts";

const { operations, check, bodyOf } = await documentation();
/** One path of each endpoint. */
const ENDPOINTS = operations.filter(
  ({ operation }, index) =>
    operation.requestBody !== undefined &&
    operations.findIndex((other) => other.operation.summary === operation.summary) === index,
);

const TOOL = { type: "function", function: { name: "f", parameters: { type: "object" } } };
const CALL = { id: "1", type: "function", function: { name: "f", arguments: '{"a": 1}' } };
/** Of everything that a conversation may hold, so that there are places to break. */
const RICH: Readonly<Record<string, object>> = {
  "/v1/chat/completions": {
    messages: [
      { role: "system", content: [{ type: "text", text: "s" }] },
      { role: "user", content: "x" },
      { role: "assistant", content: null, reasoning_content: "r", tool_calls: [CALL] },
      { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "t" }] },
    ],
    tools: [TOOL],
    tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [TOOL] } },
    response_format: { type: "json_schema", json_schema: { schema: { properties: { a: { enum: [1] } } } } },
    stop: ["a"],
    logit_bias: { 1: 2 },
    chat_template_kwargs: { enable_thinking: true },
  },
  "/v1/messages": {
    system: [{ type: "text", text: "s" }],
    messages: [
      { role: "user", content: [{ type: "text", text: "x" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "r" },
          { type: "tool_use", id: "1", name: "f", input: { a: 1 } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "t" }] }],
      },
    ],
    tools: [{ name: "f", input_schema: { type: "object" } }],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    thinking: { type: "enabled", budget_tokens: 5 },
    output_config: { effort: "low", format: { type: "json_schema", schema: { type: "object" } } },
  },
  "/v1/responses": {
    instructions: "s",
    input: [
      { role: "user", content: [{ type: "input_text", text: "x" }] },
      { type: "reasoning", summary: [{ type: "summary_text", text: "r" }] },
      { type: "function_call", call_id: "1", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output: [{ type: "input_text", text: "t" }] },
    ],
    tools: [
      { type: "function", name: "f", parameters: {} },
      { type: "custom", name: "g", format: { type: "text" } },
    ],
    tool_choice: { type: "function", name: "f" },
    text: { format: { type: "json_schema", name: "n", schema: { type: "object" } } },
    reasoning: { effort: "low" },
    include: ["reasoning.encrypted_content"],
  },
};

type Path = readonly (string | number)[];

/** Of every value in it, itself included. */
function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...at, key]))];
}

function replaced(value: Loose, [key, ...rest]: Path, by: unknown): Loose {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((item, i) => (String(i) === String(key) ? replaced(item, rest, by) : item));
  return { ...value, [key]: replaced(value[key], rest, by) };
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    "",
    " ",
    "\ud800",
    "\0",
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom<unknown>(
    { type: "text" },
    { type: "function" },
    { type: 5 },
    { $ref: "#" },
    "<|im_start|>",
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

describe.each(ENDPOINTS)("$name", (endpoint) => {
  test("answers or refuses", async () => {
    const server = fakeServer();
    const target = inProcess(server.app);
    const example = bodyOf(endpoint).examples[0];
    const body = { ...example, ...RICH[endpoint.path] };
    const places = fc.constantFrom(...pathsOf(body));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(places, odd), { minLength: 1, maxLength: 3 }), async (changes) => {
        const sent = changes.reduce((now, [path, by]) => {
          try {
            return replaced(now, path, by);
          } catch {
            // The place has gone with an earlier change.
            return now;
          }
        }, body);
        const answer = await postChat(target, JSON.stringify(sent) ?? "null", { path: endpoint.path });
        const text = await answer.text();
        expect(answer.status, text).toBeLessThan(500);
        if (answer.status === 200) return;
        check(contentOf(endpoint, answer.status)["application/json"].schema, JSON.parse(text));
      }),
      { numRuns: 150 },
    );
    expect(server.errors).toEqual([]);
  });
});
