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
  { $id: "AnthropicError", description: "A body, or the last event of a stream." },
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
      Type.String({ description: "custom; tools of other types are left out, with a line in the log." }),
    ),
    defer_loading: Type.Optional(Type.Boolean()),
  },
  { $id: "MessageTool" },
);

const FORMAT = Type.Object(
  { type: Type.Literal("json_schema"), schema: Type.Object({}, { description: "JSON Schema." }) },
  { $id: "MessageFormat", description: "Holds the answer to a schema." },
);

const THINKING = Type.Object(
  {
    type: oneOf(["enabled", "adaptive", "between_tools", "disabled"]),
    budget_tokens: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { description: "On unless it is disabled." },
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
    Type.Unknown({ description: "format, and effort for the template; anything else in it is ignored." }),
  ),
};
const EXAMPLE = { model: "local", max_tokens: 64, messages: [{ role: "user", content: "Hello" }] };

export const MESSAGES_REQUEST = Type.Object(
  {
    ...PROMPT,
    output_format: Type.Optional(FORMAT),
    max_tokens: Type.Optional(Type.Integer({ minimum: 0, description: "0 answers after prefill." })),
    stream: Type.Optional(Type.Boolean({ default: false })),
    stop_sequences: Type.Optional(
      Type.Array(Type.String(), { maxItems: 16, description: "Also inside thinking." }),
    ),
    cache_salt: Type.Optional(
      Type.String({ description: "Kept states serve requests of the same salt alone." }),
    ),
    metadata: Type.Optional(Type.Unknown({ description: "The session in its user_id is a hint." })),
    ...SAMPLING,
    context_management: ignored("Nothing is cleared."),
    service_tier: ignored("There is one."),
  },
  { $id: "MessagesRequest", description: "Unknown fields are ignored.", examples: [EXAMPLE] },
);

export const COUNT_REQUEST = Type.Object(PROMPT, {
  $id: "CountTokensRequest",
  description: "The fields of /v1/messages that make the prompt.",
  examples: [EXAMPLE],
});

export const COUNT = Type.Object({ input_tokens: Type.Integer() }, { $id: "CountTokens" });

const USAGE = Type.Object(
  {
    input_tokens: Type.Integer({ description: "Less what was resumed." }),
    cache_read_input_tokens: Type.Integer({ description: "What was resumed." }),
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
    description: "The data of each event, named by its type; a silence is filled with pings.",
  },
);
