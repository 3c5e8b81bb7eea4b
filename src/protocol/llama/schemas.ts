/** Schemas of llama-server's `/completion` and its errors, as they are documented. */
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { nullable, oneOf, SAMPLING, TIMINGS, WARMTURN } from "../http/schemas.ts";

export const LLAMA_ERROR = Type.Object(
  {
    error: Type.Object({
      code: Type.Integer({ description: "The status." }),
      message: Type.String(),
      type: Type.String({ description: "invalid_request_error, exceed_context_size_error, … " }),
      param: nullable(Type.String({ description: "Path of the field." })),
      n_prompt_tokens: Type.Optional(Type.Integer({ description: "Of a prompt that is too long." })),
      n_ctx: Type.Optional(Type.Integer({ description: "What a conversation holds." })),
    }),
  },
  { $id: "LlamaError", description: "A body, or the last event of a stream." },
);

const limit = Type.Optional(
  Type.Integer({
    minimum: -1,
    description: "Tokens of the reply at most; -1 is no limit, 0 answers after prefill. The least holds.",
  }),
);
const unused = (minimum: number): TSchema =>
  Type.Optional(Type.Integer({ minimum, description: "Taken, and without a meaning here." }));

export const PROMPT = Type.Unsafe({
  type: ["string", "array", "object"],
  description:
    'Text; token ids and texts; {"prompt_string": …}; or a list of these, which gives a list of answers. ' +
    "Spellings of special tokens are those tokens.",
});

/** What `/completion` and `/infill` share. */
export const COMPLETION_FIELDS: TProperties = {
  model: Type.Optional(Type.String({ description: "Any name, unless the server has --strict-model." })),
  stream: Type.Optional(Type.Boolean({ default: false })),
  n_predict: limit,
  max_tokens: limit,
  max_completion_tokens: limit,
  stop: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 16 })])),
  return_tokens: Type.Optional(Type.Boolean({ default: false, description: "Fill `tokens`." })),
  response_fields: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: "The answer's fields that are sent, `generation_settings/seed` for one inside another.",
    }),
  ),
  json_schema: Type.Optional(Type.Object({}, { description: "The reply is JSON of this schema." })),
  response_format: Type.Optional(Type.Object({}, { description: "As in chat completions." })),
  ...SAMPLING,
  n_keep: unused(-1),
  n_discard: unused(0),
  n_indent: unused(0),
  n_cache_reuse: unused(0),
  id_slot: unused(-1),
  prompt_cache_key: Type.Optional(Type.String({ description: "A hint that tells conversations apart." })),
};

export const COMPLETION_REQUEST = Type.Object(
  { prompt: PROMPT, ...COMPLETION_FIELDS },
  {
    $id: "CompletionRequest",
    description: "Unknown fields are ignored.",
    examples: [{ prompt: "Once upon a time", n_predict: 32 }],
  },
);

const place = { index: Type.Integer({ description: "Which of the prompts." }), id_slot: Type.Integer() };
const counts = {
  tokens_predicted: Type.Integer({ description: "Tokens of the reply so far." }),
  tokens_evaluated: Type.Integer({ description: "Tokens of the prompt." }),
};
const text = {
  content: Type.String({ description: "The reply, or in a stream what is new of it." }),
  tokens: Type.Array(Type.Integer()),
};

const END: TProperties = {
  ...place,
  ...text,
  stop: Type.Literal(true),
  model: Type.String(),
  ...counts,
  generation_settings: Type.Object({}, { description: "What the reply was made with." }),
  prompt: Type.String({ description: "The prompt's text, special tokens spelled." }),
  has_new_line: Type.Boolean(),
  truncated: Type.Boolean({ description: "The context is full." }),
  stop_type: oneOf(["eos", "limit", "word"]),
  stopping_word: Type.String(),
  tokens_cached: Type.Integer({ description: "Tokens of prompt and reply." }),
  timings: TIMINGS,
  warmturn: WARMTURN,
};

const COMPLETION = Type.Partial(Type.Object(END), { $id: "Completion" });

export const COMPLETION_ANSWER = Type.Union([COMPLETION, Type.Array(COMPLETION)], {
  $id: "CompletionAnswer",
  description: "A list where the prompt was one. All fields, or those that `response_fields` names.",
});

const PARTIAL = Type.Object(
  { ...place, ...text, stop: Type.Literal(false), ...counts },
  { $id: "CompletionToken" },
);

export const COMPLETION_EVENT = Type.Union([PARTIAL, COMPLETION, LLAMA_ERROR], {
  $id: "CompletionEvent",
  description: "One a token, then the end of each reply; there is no [DONE].",
});
