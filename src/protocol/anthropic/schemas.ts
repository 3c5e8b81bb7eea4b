/** Schemas of messages and Anthropic's errors, as they are documented. */
import { type TProperties, Type } from "@sinclair/typebox";
import { ignored, nullable, oneOf, SAMPLING, TIMINGS, WARMTURN } from "../http/schemas.ts";

export const ANTHROPIC_ERROR = Type.Object(
  {
    type: Type.Literal("error"),
    error: Type.Object({
      type: Type.String({ description: "invalid_request_error, authentication_error, …" }),
      message: Type.String({ description: "Begins with the field's path where a field is wrong." }),
    }),
    request_id: Type.String(),
  },
  { $id: "AnthropicError", description: "The body of the answer, or the last event of a stream." },
);

const BLOCK = Type.Object(
  {
    type: Type.String({
      description:
        "text, thinking, redacted_thinking, tool_use, tool_result, …; pictures in tool results are placeholders.",
    }),
  },
  { $id: "MessageBlock", description: "As in Anthropic's reference." },
);
const CONTENT = Type.Union([Type.String(), Type.Array(BLOCK)]);

const TOOL = Type.Object(
  {
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    input_schema: Type.Optional(Type.Object({}, { description: "JSON Schema." })),
    type: Type.Optional(
      Type.String({
        description: "custom. Tools of other types are left out, and the log says so in a line.",
      }),
    ),
    defer_loading: Type.Optional(Type.Boolean()),
  },
  { $id: "MessageTool" },
);

const FORMAT = Type.Object(
  { type: Type.Literal("json_schema"), schema: Type.Object({}, { description: "JSON Schema." }) },
  { $id: "MessageFormat", description: "A schema that the answer must follow." },
);

const THINKING = Type.Object(
  {
    type: oneOf(["enabled", "adaptive", "between_tools", "disabled"]),
    budget_tokens: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { description: "Thinking is on unless this disables it." },
);

/** What makes the prompt. */
const PROMPT: TProperties = {
  model: Type.Optional(Type.String({ description: "Any name, unless the server has --strict-model." })),
  messages: Type.Array(
    Type.Object({ role: oneOf(["user", "assistant", "system"]), content: CONTENT }, { $id: "InputMessage" }),
    { minItems: 1 },
  ),
  system: Type.Optional(CONTENT),
  tools: Type.Optional(Type.Array(TOOL)),
  tool_choice: Type.Optional(
    Type.Object({
      type: oneOf(["auto", "any", "tool", "none"]),
      name: Type.Optional(Type.String()),
      disable_parallel_tool_use: Type.Optional(Type.Boolean()),
    }),
  ),
  thinking: Type.Optional(THINKING),
  output_config: Type.Optional(
    Type.Unknown({
      description:
        "format: a schema for the answer. effort: given to the template. Other fields are ignored.",
    }),
  ),
};
const EXAMPLE = { model: "local", max_tokens: 64, messages: [{ role: "user", content: "Hello" }] };

export const MESSAGES_REQUEST = Type.Object(
  {
    ...PROMPT,
    output_format: Type.Optional(FORMAT),
    max_tokens: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "0: the prompt is prefilled and kept, and nothing is written.",
      }),
    ),
    stream: Type.Optional(Type.Boolean({ default: false })),
    stop_sequences: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 16,
        description: "Texts at which the answer ends. They are not looked for in thinking and calls.",
      }),
    ),
    cache_salt: Type.Optional(
      Type.String({ description: "Kept states serve only requests with the same salt." }),
    ),
    metadata: Type.Optional(
      Type.Unknown({ description: "The session in its user_id is a hint that tells conversations apart." }),
    ),
    ...SAMPLING,
    context_management: ignored("nothing is cleared"),
    service_tier: ignored("there is only one"),
  },
  { $id: "MessagesRequest", description: "Unknown fields are ignored.", examples: [EXAMPLE] },
);

export const COUNT_REQUEST = Type.Object(PROMPT, {
  $id: "CountTokensRequest",
  description: "The fields of /v1/messages that the prompt is made of.",
  examples: [EXAMPLE],
});

export const COUNT = Type.Object({ input_tokens: Type.Integer() }, { $id: "CountTokens" });

const USAGE = Type.Object(
  {
    input_tokens: Type.Integer({ description: "Prompt tokens without the resumed ones." }),
    cache_read_input_tokens: Type.Integer({ description: "Resumed prompt tokens." }),
    cache_creation_input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
  },
  { $id: "MessageUsage" },
);

export const MESSAGE = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("message"),
    role: Type.Literal("assistant"),
    model: Type.String(),
    content: Type.Array(BLOCK),
    stop_reason: nullable(
      oneOf(["end_turn", "max_tokens", "stop_sequence", "tool_use", "model_context_window_exceeded"]),
    ),
    stop_sequence: nullable(Type.String()),
    usage: USAGE,
    warmturn: Type.Optional(WARMTURN),
    timings: Type.Optional(TIMINGS),
  },
  { $id: "Message" },
);

export const MESSAGE_EVENT = Type.Union(
  [
    Type.Object({ type: Type.Literal("message_start"), message: MESSAGE }),
    Type.Object({ type: Type.Literal("ping") }),
    Type.Object({
      type: Type.Literal("content_block_start"),
      index: Type.Integer(),
      content_block: BLOCK,
    }),
    Type.Object({
      type: Type.Literal("content_block_delta"),
      index: Type.Integer(),
      delta: Type.Object({
        type: oneOf(["text_delta", "thinking_delta", "signature_delta", "input_json_delta"]),
      }),
    }),
    Type.Object({ type: Type.Literal("content_block_stop"), index: Type.Integer() }),
    Type.Object({
      type: Type.Literal("message_delta"),
      delta: Type.Object({ stop_reason: Type.String(), stop_sequence: nullable(Type.String()) }),
      usage: USAGE,
      warmturn: WARMTURN,
      timings: TIMINGS,
    }),
    Type.Object({ type: Type.Literal("message_stop") }),
    ANTHROPIC_ERROR,
  ],
  {
    $id: "MessageEvent",
    description: "The data of each event. The event is named by its type. Pings fill silence.",
  },
);
