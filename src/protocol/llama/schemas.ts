/** Schemas of llama-server's own endpoints and its errors, as they are documented. */
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { nullable, oneOf, SAMPLING, TIMINGS, TOKEN_PROBS, WARMTURN, WISHES } from "../http/schemas.ts";

export const LLAMA_ERROR = Type.Object(
  {
    error: Type.Object({
      code: Type.Integer({ description: "The status." }),
      message: Type.String(),
      type: Type.String({ description: "invalid_request_error, exceed_context_size_error, … " }),
      param: nullable(Type.String({ description: "Path of the field that is wrong." })),
      n_prompt_tokens: Type.Optional(Type.Integer({ description: "Tokens of a prompt that is too long." })),
      n_ctx: Type.Optional(Type.Integer({ description: "Tokens that one conversation may hold." })),
    }),
  },
  { $id: "LlamaError", description: "The body of the answer, or the last event of a stream." },
);

const limit = Type.Optional(
  Type.Integer({
    minimum: -1,
    description:
      "The most tokens that the reply may have. -1: no limit. 0: the prompt is prefilled and kept, and nothing is written. The smallest of these holds.",
  }),
);
const copies = (description: string): TSchema =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 32, default: 1, description }));
const unused = (minimum: number): TSchema =>
  Type.Optional(Type.Integer({ minimum, description: "Has no effect." }));

export const PROMPT = Type.Unsafe({
  type: ["string", "array", "object"],
  description:
    'Text; token ids and texts; {"prompt_string": …}; or a list of these, which gets a list of answers. ' +
    "The spelling of a special token is that token.",
});

/** What OpenAI's completions have as well. */
export const SHARED_FIELDS: TProperties = {
  model: Type.Optional(Type.String({ description: "Any name, unless the server has --strict-model." })),
  stream: Type.Optional(Type.Boolean({ default: false })),
  n_predict: limit,
  max_tokens: limit,
  max_completion_tokens: limit,
  stop: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 16 })])),
  ...WISHES,
  logprobs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 20,
      description: "How many of the likeliest tokens to report in each place.",
    }),
  ),
  n: copies("How many replies to each prompt; their seeds count up."),
  n_cmpl: copies("llama-server's name of `n`."),
  json_schema: Type.Optional(Type.Object({}, { description: "The reply is JSON of this schema." })),
  response_format: Type.Optional(Type.Object({}, { description: "As in chat completions." })),
  ...SAMPLING,
  n_keep: unused(-1),
  n_discard: unused(0),
  n_indent: unused(0),
  n_cache_reuse: unused(0),
  id_slot: unused(-1),
  cache_salt: Type.Optional(
    Type.String({ description: "Kept states serve only requests with the same salt." }),
  ),
  prompt_cache_key: Type.Optional(Type.String({ description: "A hint that tells conversations apart." })),
};

const LLAMA_FIELDS: TProperties = {
  ...SHARED_FIELDS,
  return_tokens: Type.Optional(
    Type.Boolean({ default: false, description: "Report the ids of the reply's tokens in `tokens`." }),
  ),
  response_fields: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description:
        "Only these fields of the answer are sent. `generation_settings/seed` names a field inside another.",
    }),
  ),
};

export const COMPLETION_REQUEST = Type.Object(
  { prompt: PROMPT, ...LLAMA_FIELDS },
  {
    $id: "CompletionRequest",
    description: "Unknown fields are ignored.",
    examples: [{ prompt: "Once upon a time", n_predict: 32 }],
  },
);

const place = { index: Type.Integer({ description: "Index of the prompt." }), id_slot: Type.Integer() };
const counts = {
  tokens_predicted: Type.Integer({ description: "Tokens of the reply so far." }),
  tokens_evaluated: Type.Integer({ description: "Tokens of the prompt." }),
};
const text = {
  content: Type.String({ description: "The reply; in a stream, its new text." }),
  tokens: Type.Array(Type.Integer()),
};

const PROBS = Type.Array(TOKEN_PROBS, {
  description: "Only with n_probs. In a stream: of this event's text.",
});

const END: TProperties = {
  ...place,
  ...text,
  stop: Type.Literal(true),
  model: Type.String(),
  ...counts,
  generation_settings: Type.Object({}, { description: "The settings of this reply." }),
  prompt: Type.String({ description: "The prompt's text, with special tokens spelled out." }),
  has_new_line: Type.Boolean(),
  truncated: Type.Boolean({ description: "Whether the reply ended because the context is full." }),
  stop_type: oneOf(["eos", "limit", "word"]),
  stopping_word: Type.String(),
  tokens_cached: Type.Integer({ description: "Tokens of prompt and reply." }),
  completion_probabilities: Type.Optional(PROBS),
  timings: TIMINGS,
  warmturn: WARMTURN,
};

const COMPLETION = Type.Partial(Type.Object(END), { $id: "Completion" });

export const COMPLETION_ANSWER = Type.Union([COMPLETION, Type.Array(COMPLETION)], {
  $id: "CompletionAnswer",
  description: "A list if the prompt was a list. Holds all fields, or those that `response_fields` names.",
});

const PARTIAL = Type.Object(
  {
    ...place,
    ...text,
    stop: Type.Literal(false),
    ...counts,
    completion_probabilities: Type.Optional(PROBS),
    timings: Type.Optional(TIMINGS),
    prompt_progress: Type.Optional(Type.Object({}, { description: "With return_progress." })),
  },
  { $id: "CompletionToken" },
);

export const COMPLETION_EVENT = Type.Union([PARTIAL, COMPLETION, LLAMA_ERROR], {
  $id: "CompletionEvent",
  description: "One event for each token, then one for the end of each reply. There is no [DONE].",
});

export const INFILL_REQUEST = Type.Object(
  {
    input_prefix: Type.String({ description: "The text before the place to fill." }),
    input_suffix: Type.String({ description: "The text behind the place to fill." }),
    input_extra: Type.Optional(
      Type.Array(Type.Object({ text: Type.String(), filename: Type.Optional(Type.String()) }), {
        maxItems: 256,
        description: "Other files. If not all fit, the first ones are left out.",
      }),
    ),
    prompt: Type.Optional(Type.String({ description: "Text that follows the prefix." })),
    ...LLAMA_FIELDS,
  },
  {
    $id: "InfillRequest",
    description: "Unknown fields are ignored.",
    examples: [{ input_prefix: "def add(a, b):\n    return ", input_suffix: "\n" }],
  },
);

export const TOKENIZE_REQUEST = Type.Object(
  {
    content: Type.Unsafe({ type: ["string", "array"], description: "Text, or token ids and texts." }),
    add_special: Type.Optional(
      Type.Boolean({ default: false, description: "Add BOS and EOS if the model wants them." }),
    ),
    parse_special: Type.Optional(
      Type.Boolean({ default: true, description: "Read the spelling of a special token as that token." }),
    ),
    with_pieces: Type.Optional(Type.Boolean({ default: false })),
  },
  { $id: "TokenizeRequest", examples: [{ content: "Hello" }] },
);

export const TOKENIZED = Type.Object(
  {
    tokens: Type.Array(
      Type.Union([
        Type.Integer(),
        Type.Object({
          id: Type.Integer(),
          piece: Type.Union([Type.String(), Type.Array(Type.Integer())], {
            description: "Text, or a list of bytes that are not UTF-8 by themselves.",
          }),
        }),
      ]),
    ),
  },
  { $id: "Tokenized" },
);

export const DETOKENIZE_REQUEST = Type.Object(
  { tokens: Type.Array(Type.Integer({ minimum: 0 })) },
  { $id: "DetokenizeRequest", examples: [{ tokens: [104, 105] }] },
);

export const DETOKENIZED = Type.Object({ content: Type.String() }, { $id: "Detokenized" });

export const PROMPT_TEXT = Type.Object({ prompt: Type.String() }, { $id: "PromptText" });

export const PROPS = Type.Object(
  {
    default_generation_settings: Type.Object(
      { params: Type.Object({}), n_ctx: Type.Integer() },
      { description: "The settings of a request that sets none." },
    ),
    total_slots: Type.Integer(),
    model_alias: Type.String(),
    model_path: Type.String(),
    modalities: Type.Object({ vision: Type.Boolean(), video: Type.Boolean(), audio: Type.Boolean() }),
    endpoint_slots: Type.Boolean(),
    endpoint_props: Type.Boolean(),
    endpoint_metrics: Type.Boolean(),
    chat_template: Type.String(),
    chat_template_tool_use: Type.Optional(Type.String()),
    chat_template_caps: Type.Object({}, { description: "What the chat template supports." }),
    bos_token: Type.String(),
    eos_token: Type.String(),
    build_info: Type.String(),
    is_sleeping: Type.Literal(false),
  },
  { $id: "Props" },
);

export const SLOTS = Type.Array(
  Type.Object({
    id: Type.Integer(),
    n_ctx: Type.Integer(),
    speculative: Type.Literal(false),
    is_processing: Type.Boolean(),
    id_task: Type.Optional(
      Type.Integer({ description: "The task that the lane works on, or worked on last." }),
    ),
    key: Type.Optional(Type.String({ description: "The name of the API key that the task belongs to." })),
    n_prompt_tokens: Type.Optional(Type.Integer()),
    n_prompt_tokens_processed: Type.Optional(Type.Integer()),
    n_prompt_tokens_cache: Type.Optional(Type.Integer()),
    params: Type.Optional(Type.Object({})),
    next_token: Type.Optional(Type.Array(Type.Object({}))),
  }),
  { $id: "Slots" },
);

export const LORA_ADAPTERS = Type.Array(Type.Unknown(), { $id: "LoraAdapters", maxItems: 0 });
export const SUCCESS = Type.Object({ success: Type.Literal(true) }, { $id: "Success" });
export const VERSION = Type.Object({ version: Type.String() }, { $id: "Version" });
