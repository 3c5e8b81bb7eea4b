/**
 * Schemas that more than one protocol's documentation holds. A schema with an `$id` stands in `/openapi.json`
 * once, under that name. `null` for a field that may be missing is the same as its absence, unsaid below.
 */
import { type SchemaOptions, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { DEFAULT_SAMPLERS, NUMBER_KEYS, NUMBER_RULES } from "../../run/samplerSettings.ts";

/** Read by nobody: clients send it, and it changes nothing. */
export function ignored(why: string): TSchema {
  return Type.Optional(Type.Unknown({ description: `Ignored: ${why}.`, "x-ignored": true }));
}

export function nullable(schema: TSchema): TSchema {
  return Type.Union([schema, Type.Null()]);
}

export function oneOf(values: readonly string[], options: SchemaOptions = {}): TSchema {
  return Type.Unsafe({ ...options, type: "string", enum: [...values] });
}

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

/** Of the one table that the fields are read by. */
const NUMBERS: TProperties = Object.fromEntries(
  NUMBER_KEYS.map((key) => {
    const { field, says, fallback, min, max, whole } = NUMBER_RULES[key];
    const options = { description: `${says}.`, default: fallback, minimum: min, maximum: max };
    return [field, optional(whole === true ? Type.Integer(options) : Type.Number(options))];
  }),
);

/** llama-server's names and defaults, in every protocol. */
export const SAMPLING: TProperties = {
  ...NUMBERS,
  samplers: optional(
    Type.Unsafe({
      description: `The samplers in their order: names, or the letters of them in a string.`,
      default: DEFAULT_SAMPLERS,
      type: ["array", "string"],
    }),
  ),
  dry_sequence_breakers: optional(
    Type.Array(Type.String(), {
      description: "Texts at which DRY stops looking.",
      minItems: 1,
      maxItems: 32,
    }),
  ),
  seed: optional(Type.Integer({ description: "-1: a random one.", default: -1 })),
  logit_bias: optional(
    Type.Unsafe({
      description: "Token ids or texts, and what is added to their logits; false forbids the token.",
      type: ["object", "array"],
    }),
  ),
  grammar: optional(Type.String({ description: "A grammar (GBNF) that the reply must follow." })),
  ignore_eos: optional(Type.Boolean({ description: "Write on until the limit of tokens.", default: false })),
};

/** llama-server's names for what is told beside a reply. */
export const WISHES: TProperties = {
  n_probs: optional(
    Type.Integer({
      description: "llama-server's name of top_logprobs, up to 128.",
      default: 0,
      minimum: 0,
      maximum: 128,
    }),
  ),
  post_sampling_probs: optional(
    Type.Boolean({
      description: "With n_probs: probabilities among the tokens that the samplers left.",
      default: false,
    }),
  ),
  cache_prompt: optional(
    Type.Boolean({
      description: "false: nothing is resumed. The reply is the same, bit for bit.",
      default: true,
    }),
  ),
  timings_per_token: optional(
    Type.Boolean({ description: "Add the timings so far to every event.", default: false }),
  ),
  return_progress: optional(
    Type.Boolean({
      description: "Send prompt_progress in the stream after each chunk of prefill.",
      default: false,
    }),
  ),
};

const count = (description: string): TSchema => Type.Integer({ description, minimum: 0 });
const milliseconds = (description: string): TSchema => Type.Number({ description, minimum: 0 });

export const TIMINGS = Type.Object(
  {
    cache_n: count("Prompt tokens that were resumed."),
    prompt_n: count("Prompt tokens that were evaluated."),
    prompt_ms: milliseconds("Milliseconds of that."),
    prompt_per_token_ms: Type.Number(),
    prompt_per_second: Type.Number(),
    predicted_n: count("Tokens of the reply."),
    predicted_ms: milliseconds("Milliseconds of that."),
    predicted_per_token_ms: Type.Number(),
    predicted_per_second: Type.Number(),
  },
  { $id: "Timings", description: "As llama-server's." },
);

const TOKEN_PROB = {
  id: Type.Integer(),
  token: Type.String({
    description: "The token's text. Bytes that are not UTF-8 by themselves appear as U+FFFD.",
  }),
  bytes: Type.Array(Type.Integer()),
  logprob: optional(
    Type.Number({ description: "From the logits before any sampler. -9999: the token cannot come." }),
  ),
  prob: optional(Type.Number({ description: "In place of logprob, with post_sampling_probs." })),
};

export const TOKEN_PROBS = Type.Object(
  {
    ...TOKEN_PROB,
    top_logprobs: optional(Type.Array(Type.Object(TOKEN_PROB))),
    top_probs: optional(Type.Array(Type.Object(TOKEN_PROB))),
  },
  { $id: "TokenProbs", description: "One token of a reply, and the likeliest in its place." },
);

export const WARMTURN = Type.Object(
  {
    resumed: count("Prompt tokens that a kept state covered."),
    warmed: count("Resumed tokens that were prefilled ahead of the request."),
    prefilled: count("Prompt tokens that this request had to evaluate."),
    miss: oneOf([
      "none",
      "cold",
      "tokens-differ",
      "not-warmed",
      "evicted",
      "no-rollback",
      "resume-off",
      "not-asked",
    ]),
    why: Type.String({ description: "Why no more was resumed." }),
    miss_at: Type.Integer({
      description: "First token that differs from the nearest kept conversation, or -1.",
    }),
    changed: optional(
      Type.Object(
        {
          what: oneOf(["system", "tools", "template-option", "message", "reasoning", "template"]),
          names: optional(
            Type.Array(Type.String(), { description: "Names of the tools or options that changed." }),
          ),
          message: optional(count("Index of the message, from 0.")),
          at: count("First token that differs."),
          before: optional(
            Type.String({ description: "The text there before the change. Left out with --redact." }),
          ),
          now: optional(Type.String({ description: "The text there now. Left out with --redact." })),
        },
        { description: "If the client changed an earlier part of the prompt: which part." },
      ),
    ),
    source: Type.String({
      description: "Where the state was found: sequence, snapshot, host, fork or none.",
    }),
    bytes_moved: count("Bytes of state that were saved, restored or copied for this reply."),
    state_ms: milliseconds("Milliseconds of that."),
    queued_ms: milliseconds("Milliseconds that the request waited for a lane."),
    kept: optional(count("Only if no token was asked for: prompt tokens that can be resumed now.")),
    logits_hash: optional(Type.String({ description: "Only with --debug-hashes." })),
    tokens_hash: optional(Type.String({ description: "Only with --debug-hashes." })),
  },
  { $id: "Warmturn", description: "What was resumed, and why not more." },
);

export const HEALTH = Type.Object(
  {
    status: oneOf(["ok", "sleeping", "loading", "restarting", "closing"]),
    error: optional(Type.Unknown({ description: "Only in a 503." })),
    warm: optional(oneOf(["idle", "working"], { description: "idle: nothing is left to prefill ahead." })),
  },
  { $id: "Health" },
);
