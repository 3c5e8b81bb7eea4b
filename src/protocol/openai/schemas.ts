/** Schemas of chat completions and models, as they are documented. */

import { Type } from "@sinclair/typebox";
import {
  ignored,
  nullable,
  oneOf,
  SAMPLING,
  TIMINGS,
  TOKEN_PROBS,
  WARMTURN,
  WISHES,
} from "../http/schemas.ts";
import { HEADING, OPENAI_ERROR, USAGE } from "../shared/schemas.ts";

const CALL = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("function"),
    function: Type.Object({ name: Type.String(), arguments: Type.String({ description: "JSON." }) }),
  },
  { $id: "ToolCall" },
);

const PART = Type.Object(
  { type: Type.String({ description: "text" }), text: Type.Optional(Type.String()) },
  { $id: "ContentPart" },
);

const MESSAGE = Type.Object(
  {
    role: oneOf(["system", "developer", "user", "assistant", "tool"]),
    content: Type.Optional(nullable(Type.Union([Type.String(), Type.Array(PART)]))),
    reasoning_content: Type.Optional(
      nullable(Type.String({ description: "Also read as reasoning, reasoning_text and thinking." })),
    ),
    tool_calls: Type.Optional(nullable(Type.Array(CALL))),
    tool_call_id: Type.Optional(
      Type.String({ description: "In a tool's message: the call that it answers." }),
    ),
  },
  { $id: "ChatMessage" },
);

const TOOL = Type.Object(
  {
    type: Type.Literal("function"),
    function: Type.Object({
      name: Type.String(),
      description: Type.Optional(Type.String()),
      parameters: Type.Optional(Type.Object({}, { description: "JSON Schema." })),
    }),
  },
  { $id: "ChatTool" },
);

const limit = (description: string) => Type.Optional(Type.Integer({ minimum: -1, description }));
const LIMIT =
  "The most tokens that the reply may have. -1: no limit. 0: the prompt is prefilled and kept, and nothing is written. The smallest of the three holds.";
const BUDGET = "The most tokens of reasoning. -1: as the server's --reasoning-budget.";

export const CHAT_REQUEST = Type.Object(
  {
    model: Type.Optional(Type.String({ description: "Any name, unless the server has --strict-model." })),
    messages: Type.Array(MESSAGE, { minItems: 1 }),
    tools: Type.Optional(Type.Array(TOOL)),
    tool_choice: Type.Optional(
      Type.Unknown({
        description:
          'auto, none, required, {"type": "function", "function": {"name": …}} or {"type": "allowed_tools", …}.',
      }),
    ),
    parallel_tool_calls: Type.Optional(Type.Boolean({ default: true })),
    functions: Type.Optional(
      Type.Array(Type.Unknown(), {
        description: "The older form of tools; the answer then holds a function_call.",
      }),
    ),
    function_call: Type.Optional(Type.Unknown({ description: 'auto, none or {"name": …}.' })),
    enable_thinking: Type.Optional(Type.Boolean({ description: "The same as in chat_template_kwargs." })),
    continuous_usage_stats: Type.Optional(
      Type.Boolean({ description: "The same as in stream_options: send the usage so far in every chunk." }),
    ),
    stream: Type.Optional(Type.Boolean({ default: false })),
    stream_options: Type.Optional(
      Type.Object({
        include_usage: Type.Optional(Type.Boolean()),
        continuous_usage_stats: Type.Optional(Type.Boolean()),
      }),
    ),
    response_format: Type.Optional(
      Type.Object(
        {
          type: oneOf(["text", "json_object", "json_schema"]),
          json_schema: Type.Optional(
            Type.Object({
              name: Type.Optional(Type.String()),
              strict: Type.Optional(Type.Boolean()),
              schema: Type.Unknown({ description: "JSON Schema." }),
            }),
          ),
          schema: Type.Optional(
            Type.Unknown({ description: "JSON Schema, as llama-server takes it: without a json_schema." }),
          ),
        },
        { description: "The form that the answer's text must have." },
      ),
    ),
    json_schema: Type.Optional(
      Type.Object({}, { description: "The answer's JSON Schema, as in llama-server." }),
    ),
    stop: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 16 })], {
        description: "Texts at which the answer ends. They are not looked for in reasoning and calls.",
      }),
    ),
    max_tokens: limit(LIMIT),
    max_completion_tokens: limit(LIMIT),
    n_predict: limit(LIMIT),
    n: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 16,
        default: 1,
        description: "How many replies; their seeds count up.",
      }),
    ),
    logprobs: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Report the log probability of every token of the reply, also of reasoning and calls.",
      }),
    ),
    top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20, default: 0 })),
    ...WISHES,
    ...SAMPLING,
    reasoning_effort: Type.Optional(
      Type.String({ description: "Given to the template. none: no reasoning." }),
    ),
    chat_template_kwargs: Type.Optional(
      Type.Object({}, { description: "Given to the template, such as enable_thinking." }),
    ),
    continue_final_message: Type.Optional(
      Type.Boolean({
        description: "Whether the reply continues a last assistant message. It does by default.",
      }),
    ),
    add_generation_prompt: Type.Optional(
      Type.Boolean({ description: "Cannot be true together with continue_final_message." }),
    ),
    reasoning_budget_tokens: limit(BUDGET),
    thinking_budget_tokens: limit(BUDGET),
    reasoning_budget: limit(BUDGET),
    cache_salt: Type.Optional(
      Type.String({ description: "Kept states serve only requests with the same salt." }),
    ),
    prompt_cache_key: Type.Optional(Type.String({ description: "A hint that tells conversations apart." })),
    store: ignored("chat completions are never stored"),
    user: ignored("the API key says who asks"),
    service_tier: ignored("there is only one"),
    metadata: ignored("chat completions are never stored"),
  },
  {
    $id: "ChatCompletionRequest",
    description: "Unknown fields are ignored.",
    examples: [{ model: "local", messages: [{ role: "user", content: "Hello" }] }],
  },
);

const FINISH = oneOf(["stop", "length", "tool_calls"]);
const LOGPROBS = nullable(Type.Object({ content: Type.Array(TOKEN_PROBS), refusal: Type.Null() }));

export const CHAT_COMPLETION = Type.Object(
  {
    ...HEADING,
    object: Type.Literal("chat.completion"),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer(),
        message: Type.Object({
          role: Type.Literal("assistant"),
          content: nullable(Type.String()),
          refusal: Type.Null(),
          reasoning_content: Type.Optional(Type.String()),
          tool_calls: Type.Optional(Type.Array(CALL)),
        }),
        logprobs: LOGPROBS,
        finish_reason: FINISH,
        timings: Type.Optional(TIMINGS),
        warmturn: Type.Optional(WARMTURN),
      }),
    ),
    usage: USAGE,
    timings: TIMINGS,
    warmturn: WARMTURN,
  },
  { $id: "ChatCompletion" },
);

const CHUNK = Type.Object(
  {
    ...HEADING,
    object: Type.Literal("chat.completion.chunk"),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer(),
        delta: Type.Object({}, { description: "role, reasoning_content, content or tool_calls." }),
        logprobs: LOGPROBS,
        finish_reason: nullable(FINISH),
      }),
    ),
    usage: Type.Optional(USAGE),
    timings: Type.Optional(TIMINGS),
    warmturn: Type.Optional(WARMTURN),
    prompt_progress: Type.Optional(
      Type.Object(
        {
          total: Type.Integer({ description: "Tokens of the prompt." }),
          cache: Type.Integer({ description: "Of those, resumed." }),
          processed: Type.Integer({ description: "Resumed or evaluated by now." }),
          time_ms: Type.Integer(),
        },
        { description: "With return_progress." },
      ),
    ),
  },
  { $id: "ChatCompletionChunk" },
);

export const CHAT_EVENT = Type.Union([CHUNK, OPENAI_ERROR], {
  $id: "ChatCompletionEvent",
  description: "The data of each event; after the last chunk comes [DONE], after an error nothing.",
});

export const MODEL = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("model"),
    created: Type.Integer(),
    owned_by: Type.String(),
    type: Type.Literal("model"),
    display_name: Type.String(),
    created_at: Type.String({ format: "date-time" }),
    meta: Type.Object(
      {
        vocab_type: Type.Integer(),
        n_vocab: Type.Integer(),
        n_ctx: Type.Integer({ description: "Tokens of one conversation." }),
        n_ctx_train: Type.Integer(),
        n_embd: Type.Integer(),
        n_params: Type.Integer(),
        size: Type.Integer({ description: "Bytes." }),
      },
      { description: "As llama-server's." },
    ),
  },
  { $id: "Model", description: "OpenAI's and Anthropic's fields." },
);

export const MODELS = Type.Object(
  {
    object: Type.Literal("list"),
    data: Type.Array(MODEL),
    has_more: Type.Boolean(),
    first_id: Type.String(),
    last_id: Type.String(),
  },
  { $id: "Models" },
);
