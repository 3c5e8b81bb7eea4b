/** Chat bodies that are refused, for whatever server they are sent to. */
import { ADD_TOOL, USER } from "./targets.ts";

export interface BadBody {
  readonly name: string;
  readonly body: unknown;
  /** `param`: the field that is named. */
  readonly field: string | null;
  /** Part of the message. */
  readonly says: string;
}

const call = (id: unknown, more: object = {}) => ({
  id,
  type: "function",
  function: { name: "add", arguments: "{}", ...more },
});
const calls = (...tool_calls: unknown[]) => ({ role: "assistant", content: null, tool_calls });
const result = (tool_call_id: unknown, content: unknown = "x") => ({ role: "tool", tool_call_id, content });
const history = (...messages: unknown[]) => ({ messages: [...USER, ...messages] });
const choice = (tool_choice: unknown) => ({ messages: USER, tools: [ADD_TOOL], tool_choice });
const CALLS = "messages[1].tool_calls";

const HISTORIES: readonly (readonly [string, unknown, string, string])[] = [
  ["no role", history({ content: "x" }), "messages[1].role", "not nothing"],
  ["a role that is none", history({ role: 5, content: "x" }), "messages[1].role", "not a number"],
  ["a user without content", history({ role: "user" }), "messages[1].content", "not nothing"],
  ["content that is a number", history({ role: "user", content: 5 }), "messages[1].content", "not a number"],
  [
    "content that is an object",
    history({ role: "user", content: {} }),
    "messages[1].content",
    "not an object",
  ],
  [
    "a part that is none",
    history({ role: "user", content: ["x"] }),
    "messages[1].content[0]",
    "not a string",
  ],
  [
    "an unknown part",
    history({ role: "user", content: [{ type: "smell" }] }),
    "messages[1].content[0].type",
    '"smell"',
  ],
  [
    "a part without its type",
    history({ role: "user", content: [{ text: "x" }] }),
    "messages[1].content[0].type",
    "not nothing",
  ],
  [
    "text that is none",
    history({ role: "user", content: [{ type: "text", text: 5 }] }),
    "messages[1].content[0].text",
    "a string",
  ],
  [
    "reasoning that is none",
    history({ role: "assistant", reasoning_content: {} }),
    "messages[1].reasoning_content",
    "not an object",
  ],
  ["calls that are an object", history({ role: "assistant", tool_calls: {} }), CALLS, "not an object"],
  ["a call without an id", history(calls(call(undefined))), `${CALLS}[0].id`, "not nothing"],
  ["a call with an empty id", history(calls(call(""))), `${CALLS}[0].id`, "an empty one"],
  ["two calls of one id", history(calls(call("1"), call("1"))), `${CALLS}[1].id`, '"1"'],
  ["a call of nothing", history(calls({ id: "1", type: "function" })), `${CALLS}[0].function`, "not nothing"],
  ["a call without a name", history(calls(call("1", { name: "" }))), `${CALLS}[0].function.name`, "empty"],
  [
    "arguments that are an array",
    history(calls(call("1", { arguments: [] }))),
    `${CALLS}[0].function.arguments`,
    "not an array",
  ],
  [
    "two results of one call",
    history(calls(call("1")), result("1"), result("1")),
    "messages[3].tool_call_id",
    "already",
  ],
  ["a result that is a number", history(calls(call("1")), result("1", 3)), "messages[2].content", "a number"],
];

const CASES: readonly (readonly [string, unknown, string | null, string])[] = [
  ["no body", "", null, "body is empty"],
  ["no JSON", "{", null, "not valid JSON"],
  ["text behind", "{} x", null, "not valid JSON"],
  ["no object", "[]", "body", "must be an object, not an array"],
  ["no messages", {}, "messages", "must be an array, not nothing"],
  ["messages of the wrong type", { messages: "hi" }, "messages", "must be an array, not a string"],
  ["empty messages", { messages: [] }, "messages", "at least one message"],
  ["an unknown role", { messages: [{ role: "robot", content: "x" }] }, "messages[0].role", ""],
  ["a message that is none", { messages: [1] }, "messages[0]", "must be an object"],
  ...HISTORIES,
  ["too many replies", { messages: USER, n: 17 }, "n", "from 1 to 16"],
  ["infill and a grammar", { messages: USER, samplers: "ki", grammar: 'root ::= "a"' }, "samplers", "infill"],
  [
    "infill and a schema",
    { messages: USER, samplers: "ki", response_format: { type: "json_object" } },
    "samplers",
    "a schema",
  ],
  ["infill and tools", { ...choice("required"), samplers: "ki" }, "samplers", "of tools"],
  ["no replies", { messages: USER, n: 0 }, "n", "from 1 to 16"],
  ["top_logprobs alone", { messages: USER, top_logprobs: 2 }, "top_logprobs", "needs `logprobs`"],
  [
    "too many top_logprobs",
    { messages: USER, logprobs: true, top_logprobs: 21 },
    "top_logprobs",
    "from 0 to 20",
  ],
  ["logprobs as a number", { messages: USER, logprobs: 2 }, "logprobs", "must be true or false"],
  ["too many n_probs", { messages: USER, n_probs: 129 }, "n_probs", "from 0 to 128"],
  ["cache_prompt in words", { messages: USER, cache_prompt: "no" }, "cache_prompt", "must be true or false"],
  ["return_progress in words", { messages: USER, return_progress: 1 }, "return_progress", "true or false"],
  [
    "timings_per_token in words",
    { messages: USER, timings_per_token: 1 },
    "timings_per_token",
    "true or false",
  ],
  [
    "a temperature in words",
    { messages: USER, temperature: "hot" },
    "temperature",
    "must be a number from -1000000000 to 1000000000, not a string",
  ],
  ["top_p above 1", { messages: USER, top_p: 1.5 }, "top_p", "from 0 to 1, not 1.5"],
  ["top_k with a fraction", { messages: USER, top_k: 1.5 }, "top_k", "whole number"],
  ["top_k above 32 bits", { messages: USER, top_k: 2 ** 31 }, "top_k", "2147483647"],
  ["repeat_penalty of 0", { messages: USER, repeat_penalty: 0 }, "repeat_penalty", "from 0.001 to 1000"],
  ["a temperature past f32", { messages: USER, temperature: 1e39 }, "temperature", "to 1000000000"],
  ["a penalty past f32", { messages: USER, presence_penalty: -1e39 }, "presence_penalty", "-1000000000"],
  ["a frequency past f32", { messages: USER, frequency_penalty: 1e39 }, "frequency_penalty", "to 1000000000"],
  ["a bias past f32", { messages: USER, logit_bias: { 1: 1e39 } }, "logit_bias[1]", "to 1000000000"],
  ["max_tokens below -1", { messages: USER, max_tokens: -2 }, "max_tokens", "at least -1"],
  [
    "an endless number",
    '{"messages":[{"role":"user","content":"x"}],"temperature":1e999}',
    "temperature",
    "",
  ],
  ["too many messages", { messages: Array(20_001).fill(USER[0]) }, "messages", "at most 20000"],
  ["max_tokens in words", { messages: USER, max_tokens: "many" }, "max_tokens", "not a string"],
  ["max_tokens with a fraction", { messages: USER, max_tokens: 1.5 }, "max_tokens", "whole number"],
  ["a seed with a fraction", { messages: USER, seed: 0.5 }, "seed", "whole number"],
  [
    "a grammar that is too long",
    { messages: USER, grammar: "x".repeat(262_145) },
    "grammar",
    "at most 262144",
  ],
  ["a stop that is too long", { messages: USER, stop: "x".repeat(513) }, "stop", "at most 512"],
  ["stream options in words", { messages: USER, stream_options: "x" }, "stream_options", "an object"],
  [
    "usage in words",
    { messages: USER, stream_options: { include_usage: "x" } },
    "stream_options.include_usage",
    "true or false",
  ],
  ["an effort that is none", { messages: USER, reasoning_effort: 5 }, "reasoning_effort", "a string"],
  ["a budget with a fraction", { messages: USER, reasoning_budget: 0.5 }, "reasoning_budget", "whole number"],
  ["parallel calls in words", { messages: USER, parallel_tool_calls: "x" }, "parallel_tool_calls", "true"],
  [
    "to continue a user's message",
    { messages: USER, continue_final_message: true },
    "continue_final_message",
    "needs an assistant message",
  ],
  [
    "to continue and to begin",
    { messages: USER, continue_final_message: true, add_generation_prompt: true },
    "add_generation_prompt",
    "cannot be true",
  ],
  ["stream in words", { messages: USER, stream: "yes" }, "stream", "must be true or false"],
  ["stop of numbers", { messages: USER, stop: ["a", 1] }, "stop[1]", "must be a string"],
  ["too many stops", { messages: USER, stop: Array(17).fill("x") }, "stop", "at most 16"],
  ["a bias for no token", { messages: USER, logit_bias: { 9999999: 1 } }, "logit_bias[9999999]", "from 0 to"],
  ["a bias that is a word", { messages: USER, logit_bias: { yes: "1" } }, "logit_bias[yes]", "a number"],
  ["an unknown sampler", { messages: USER, samplers: ["best"] }, "samplers[0]", "is no sampler"],
  ["an unknown sampler's letter", { messages: USER, samplers: "kz" }, "samplers[1]", "is no sampler"],
  ["no breakers", { messages: USER, dry_sequence_breakers: [] }, "dry_sequence_breakers", "at least one"],
  ["mirostat 3", { messages: USER, mirostat: 3 }, "mirostat", "from 0 to 2"],
  ["xtc_probability above 1", { messages: USER, xtc_probability: 2 }, "xtc_probability", "from 0 to 1"],
  ["a negative dry_multiplier", { messages: USER, dry_multiplier: -1 }, "dry_multiplier", "from 0"],
  ["tools of the wrong type", { messages: USER, tools: {} }, "tools", "must be an array"],
  [
    "a tool without a name",
    { messages: USER, tools: [{ type: "function", function: {} }] },
    "tools[0].function.name",
    "",
  ],
  [
    "two tools of one name",
    {
      messages: USER,
      tools: [
        { type: "function", function: { name: "a" } },
        { type: "function", function: { name: "a", description: "another" } },
      ],
    },
    "tools[1].function.name",
    '"a" names another tool already.',
  ],
  ["a tool without a type", { messages: USER, tools: [{ function: { name: "a" } }] }, "tools[0].type", ""],
  ["a tool that is none", { messages: USER, tools: [5] }, "tools[0]", "must be an object"],
  [
    "a description that is none",
    { messages: USER, tools: [{ type: "function", function: { name: "a", description: 5 } }] },
    "tools[0].function.description",
    "a string",
  ],
  [
    "parameters that are none",
    { messages: USER, tools: [{ type: "function", function: { name: "a", parameters: [] } }] },
    "tools[0].function.parameters",
    "an object",
  ],
  ["too many tools", { messages: USER, tools: Array(1025).fill(ADD_TOOL) }, "tools", "at most 1024"],
  ["an unknown choice", { messages: USER, tool_choice: "maybe" }, "tool_choice", "required"],
  [
    "a forced call without tools",
    { messages: USER, tool_choice: "required" },
    "tool_choice",
    "no tool to call",
  ],
  ["a choice that is a number", choice(5), "tool_choice", "not a number"],
  ["a choice without its type", choice({}), "tool_choice.type", "not nothing"],
  ["a choice in Anthropic's form", choice({ type: "tool", name: "add" }), "tool_choice.type", '"tool"'],
  ["a choice of no function", choice({ type: "function" }), "tool_choice.function", "not nothing"],
  ["a flat choice of another tool", choice({ type: "function", name: "sub" }), "tool_choice.name", "add"],
  ["no allowed tools", choice({ type: "allowed_tools" }), "tool_choice.allowed_tools", "not nothing"],
  [
    "an unknown mode",
    choice({ type: "allowed_tools", allowed_tools: { mode: "some", tools: [] } }),
    "tool_choice.allowed_tools.mode",
    '"some"',
  ],
  [
    "an unknown allowed tool",
    choice({ type: "allowed_tools", allowed_tools: { mode: "auto", tools: [{ function: { name: "no" } }] } }),
    "tool_choice.allowed_tools.tools[0].function.name",
    "add",
  ],
  [
    "a call of none that are allowed",
    choice({ type: "allowed_tools", allowed_tools: { mode: "required", tools: [] } }),
    "tool_choice",
    "no tool to call",
  ],
  [
    "a forced call of an unknown tool",
    { messages: USER, tools: [ADD_TOOL], tool_choice: { type: "function", function: { name: "sub" } } },
    "tool_choice.function.name",
    "not among the tools: add",
  ],
  [
    "a grammar and a forced call",
    { messages: USER, tools: [ADD_TOOL], tool_choice: "required", grammar: "root ::= [a]" },
    "grammar",
    "cannot be combined",
  ],
  [
    "a response format without its schema",
    { messages: USER, response_format: { type: "json_schema", json_schema: { name: "a" } } },
    "response_format.json_schema.schema",
    "is missing",
  ],
  [
    "a response format of no known type",
    { messages: USER, response_format: { type: "yaml" } },
    "response_format.type",
    "json_schema",
  ],
  [
    "a response format that no grammar can hold",
    {
      messages: USER,
      response_format: {
        type: "json_schema",
        json_schema: { name: "a", schema: { properties: { a: { not: { type: "null" } } } } },
      },
    },
    "response_format.json_schema.schema.properties.a.not",
    "`not` at /properties/a/not",
  ],
  ["a schema that is none", { messages: USER, json_schema: [] }, "json_schema", "must be a JSON Schema"],
  [
    "a grammar and a response format",
    { messages: USER, response_format: { type: "json_object" }, grammar: "root ::= [a]" },
    "grammar",
    "cannot be combined",
  ],
  [
    "kwargs of the wrong type",
    { messages: USER, chat_template_kwargs: 1 },
    "chat_template_kwargs",
    "must be an object",
  ],
  [
    "thinking in words",
    { messages: USER, chat_template_kwargs: { enable_thinking: "no" } },
    "chat_template_kwargs.enable_thinking",
    "must be true or false",
  ],
  ["a model that is no name", { messages: USER, model: 5 }, "model", "must be a string"],
];

export const BAD_BODIES: readonly BadBody[] = CASES.map(([name, body, field, says]) => ({
  name,
  body,
  field,
  says,
}));
