/** Schemas of OpenAI's legacy completions, as they are documented. */
import { Type } from "@sinclair/typebox";
import { ignored, nullable, oneOf, TIMINGS, WARMTURN } from "../http/schemas.ts";
import { PROMPT, SHARED_FIELDS } from "../llama/schemas.ts";
import { HEADING, OPENAI_ERROR, USAGE } from "../shared/schemas.ts";

export const TEXT_REQUEST = Type.Object(
  {
    prompt: PROMPT,
    ...SHARED_FIELDS,
    echo: Type.Optional(Type.Boolean({ default: false, description: "The answer begins with the prompt." })),
    suffix: Type.Optional(
      Type.String({ description: "What stands behind the reply; for models that can fill in the middle." }),
    ),
    best_of: Type.Optional(Type.Integer({ description: "Must be the same as `n`." })),
    stream_options: Type.Optional(Type.Object({ include_usage: Type.Optional(Type.Boolean()) })),
    user: ignored("the API key says who asks"),
  },
  {
    $id: "TextCompletionRequest",
    description: "Unknown fields are ignored.",
    examples: [{ model: "local", prompt: "Once upon a time", max_tokens: 32 }],
  },
);

const LOGPROBS = Type.Object({
  tokens: Type.Array(Type.String()),
  token_logprobs: Type.Array(Type.Number({ description: "With post_sampling_probs, probabilities." })),
  top_logprobs: Type.Array(Type.Record(Type.String(), Type.Number())),
  text_offset: Type.Array(Type.Integer()),
});

const choice = (finish: ReturnType<typeof nullable>) =>
  Type.Object({
    index: Type.Integer(),
    text: Type.String(),
    logprobs: nullable(LOGPROBS),
    finish_reason: finish,
    timings: Type.Optional(TIMINGS),
    warmturn: Type.Optional(WARMTURN),
  });
const FINISH = oneOf(["stop", "length"]);

export const TEXT_COMPLETION = Type.Object(
  {
    ...HEADING,
    object: Type.Literal("text_completion"),
    choices: Type.Array(choice(FINISH), {
      description: "If there are several, each holds its own report.",
    }),
    usage: USAGE,
    timings: Type.Optional(TIMINGS),
    warmturn: Type.Optional(WARMTURN),
  },
  { $id: "TextCompletion" },
);

const CHUNK = Type.Object(
  {
    ...HEADING,
    object: Type.Literal("text_completion"),
    choices: Type.Array(choice(nullable(FINISH))),
    usage: Type.Optional(USAGE),
    timings: Type.Optional(TIMINGS),
    warmturn: Type.Optional(WARMTURN),
    prompt_progress: Type.Optional(Type.Object({}, { description: "With return_progress." })),
  },
  { $id: "TextCompletionChunk" },
);

export const TEXT_EVENT = Type.Union([CHUNK, OPENAI_ERROR], {
  $id: "TextCompletionEvent",
  description: "The data of each event; after the last chunk comes [DONE], after an error nothing.",
});
