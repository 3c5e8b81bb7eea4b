/** Schemas of the Responses API, as they are documented. */
import { Type } from "@sinclair/typebox";
import { ignored, nullable, oneOf, SAMPLING, TIMINGS, WARMTURN } from "../http/schemas.ts";

const ITEM = Type.Object(
  {
    type: Type.Optional(
      Type.String({
        description:
          "message, reasoning, function_call, function_call_output, custom_tool_call, custom_tool_call_output, item_reference; items of hosted tools are left out.",
      }),
    ),
  },
  { $id: "InputItem", description: "As in OpenAI's reference." },
);

const TOOL = Type.Object(
  {
    type: Type.String({
      description: "function, custom or namespace. Hosted tools are left out, and the log says so in a line.",
    }),
    name: Type.Optional(Type.String()),
  },
  { $id: "ResponseTool" },
);

export const RESPONSES_REQUEST = Type.Object(
  {
    model: Type.Optional(Type.String({ description: "Any name, unless the server has --strict-model." })),
    input: Type.Optional(Type.Union([Type.String(), Type.Array(ITEM)])),
    instructions: Type.Optional(Type.String()),
    previous_response_id: Type.Optional(
      Type.String({ description: "The stored response that this request continues." }),
    ),
    store: Type.Optional(Type.Boolean({ default: true })),
    stream: Type.Optional(Type.Boolean({ default: false })),
    tools: Type.Optional(Type.Array(TOOL)),
    tool_choice: Type.Optional(
      Type.Unknown({
        description: "auto, none, required, or an object of type function, custom or allowed_tools.",
      }),
    ),
    enable_thinking: Type.Optional(Type.Boolean({ description: "The same as in chat_template_kwargs." })),
    parallel_tool_calls: Type.Optional(Type.Boolean({ default: true })),
    text: Type.Optional(
      Type.Object({
        format: Type.Optional(
          Type.Object(
            { type: oneOf(["text", "json_object", "json_schema"]) },
            {
              description: "With json_schema: name, schema and strict.",
            },
          ),
        ),
      }),
    ),
    reasoning: Type.Optional(
      Type.Object({
        effort: Type.Optional(Type.String({ description: "Given to the template. none: no reasoning." })),
      }),
    ),
    include: Type.Optional(
      Type.Array(Type.String({ description: "reasoning.encrypted_content, message.output_text.logprobs" })),
    ),
    top_logprobs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 20,
        default: 0,
        description:
          "How many of the likeliest tokens to report in each place, with message.output_text.logprobs.",
      }),
    ),
    max_output_tokens: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "0: the prompt is prefilled and kept, and nothing is written.",
      }),
    ),
    chat_template_kwargs: Type.Optional(
      Type.Object({}, { description: "Given to the template, such as enable_thinking." }),
    ),
    ...SAMPLING,
    cache_salt: Type.Optional(
      Type.String({ description: "Kept states serve only requests with the same salt." }),
    ),
    prompt_cache_key: Type.Optional(Type.String({ description: "A hint that tells conversations apart." })),
    metadata: Type.Optional(Type.Unknown({ description: "The response repeats it." })),
    max_tool_calls: Type.Optional(Type.Unknown({ description: "The response repeats it." })),
    user: Type.Optional(Type.Unknown({ description: "The response repeats it." })),
    safety_identifier: Type.Optional(Type.Unknown({ description: "The response repeats it." })),
    background: Type.Optional(Type.Unknown({ description: "Has no effect: the response is made at once." })),
    truncation: Type.Optional(
      Type.Unknown({ description: "Has no effect: a prompt that is too long is a 400, never cut." }),
    ),
    conversation: Type.Optional(Type.Null({ description: "Not served: a 400." })),
    prompt: Type.Optional(Type.Null({ description: "Not served: a 400." })),
    stream_options: ignored("nothing is obfuscated"),
    service_tier: ignored("there is only one"),
  },
  {
    $id: "ResponsesRequest",
    description: "Unknown fields are ignored. The request needs `input` or a previous response.",
    examples: [{ model: "local", input: "Hello" }],
  },
);

const OUTPUT = Type.Object(
  {
    id: Type.String(),
    type: oneOf(["reasoning", "message", "function_call", "custom_tool_call"]),
    status: oneOf(["in_progress", "completed", "incomplete"]),
  },
  { $id: "OutputItem", description: "As in OpenAI's reference." },
);

const USAGE = Type.Object(
  {
    input_tokens: Type.Integer(),
    input_tokens_details: Type.Object({
      cached_tokens: Type.Integer(),
      cache_write_tokens: Type.Integer(),
    }),
    output_tokens: Type.Integer(),
    output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
    total_tokens: Type.Integer(),
  },
  { $id: "ResponseUsage" },
);

export const RESPONSE = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("response"),
    created_at: Type.Integer({ description: "Seconds since 1970." }),
    completed_at: nullable(Type.Integer()),
    status: oneOf(["in_progress", "completed", "incomplete", "failed"]),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    incomplete_details: nullable(Type.Object({ reason: Type.String() })),
    model: Type.String(),
    output: Type.Array(OUTPUT),
    usage: nullable(USAGE),
    warmturn: Type.Optional(WARMTURN),
    timings: Type.Optional(TIMINGS),
  },
  { $id: "Response", description: "The response, with the request's settings." },
);

export const RESPONSE_EVENT = Type.Object(
  {
    type: Type.String({
      description:
        "First response.created and response.in_progress; last response.completed, response.incomplete or response.failed.",
    }),
    sequence_number: Type.Integer({ minimum: 0 }),
    response: Type.Optional(RESPONSE),
    item: Type.Optional(OUTPUT),
    output_index: Type.Optional(Type.Integer()),
    delta: Type.Optional(Type.String()),
  },
  { $id: "ResponseEvent", description: "The data of each event. The event is named by its type." },
);

export const RESPONSE_DELETED = Type.Object(
  { id: Type.String(), object: Type.Literal("response"), deleted: Type.Literal(true) },
  { $id: "ResponseDeleted" },
);
