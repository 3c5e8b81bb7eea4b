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
  [
    "a tool result without its call",
    { messages: [...USER, { role: "tool", tool_call_id: "no", content: "x" }] },
    "messages[1].tool_call_id",
    "",
  ],
  [
    "an image",
    { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:" } }] }] },
    "messages[0].content[0]",
    "",
  ],
  ["several replies", { messages: USER, n: 2 }, "n", "must be 1"],
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
  ["an unknown choice", { messages: USER, tool_choice: "maybe" }, "tool_choice", "required"],
  [
    "a forced call without tools",
    { messages: USER, tool_choice: "required" },
    "tool_choice",
    "`tools` is empty",
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
