/**
 * Schemas that more than one protocol's documentation holds. A schema with an `$id` stands in `/openapi.json`
 * once, under that name. `null` for a field that may be missing is the same as its absence, unsaid below.
 */
import { type SchemaOptions, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { DEFAULT_SAMPLERS, NUMBER_KEYS, NUMBER_RULES } from "../../run/samplerSettings.ts";

/** Read by nobody: clients send it, and it changes nothing. */
export function ignored(description: string): TSchema {
  return Type.Optional(Type.Unknown({ description: `${description} Ignored.`, "x-ignored": true }));
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
  seed: optional(Type.Integer({ description: "-1 draws one.", default: -1 })),
  logit_bias: optional(
    Type.Unsafe({
      description: "Token ids or texts, and what is added to their logits; false forbids the token.",
      type: ["object", "array"],
    }),
  ),
  grammar: optional(Type.String({ description: "GBNF that the reply must keep to." })),
  ignore_eos: optional(Type.Boolean({ description: "Go on to the limit.", default: false })),
};

/** llama-server's names for what is told beside a reply. */
export const WISHES: TProperties = {
  n_probs: optional(Type.Integer({ description: "As top_logprobs.", default: 0, minimum: 0, maximum: 128 })),
  post_sampling_probs: optional(
    Type.Boolean({
      description: "With n_probs: probabilities among the tokens that the samplers left.",
      default: false,
    }),
  ),
  cache_prompt: optional(
    Type.Boolean({ description: "false resumes nothing; no bit of the reply changes.", default: true }),
  ),
  timings_per_token: optional(Type.Boolean({ description: "timings in every event.", default: false })),
  return_progress: optional(
    Type.Boolean({ description: "prompt_progress in streams, after each chunk of prefill.", default: false }),
  ),
};

const count = (description: string): TSchema => Type.Integer({ description, minimum: 0 });
const milliseconds = (description: string): TSchema => Type.Number({ description, minimum: 0 });

export const TIMINGS = Type.Object(
  {
    cache_n: count("Prompt tokens that were resumed."),
    prompt_n: count("Prompt tokens that were evaluated."),
    prompt_ms: milliseconds("Time for them."),
    prompt_per_token_ms: Type.Number(),
    prompt_per_second: Type.Number(),
    predicted_n: count("Tokens of the reply."),
    predicted_ms: milliseconds("Time for them."),
    predicted_per_token_ms: Type.Number(),
    predicted_per_second: Type.Number(),
  },
  { $id: "Timings", description: "As llama-server's." },
);

const TOKEN_PROB = {
  id: Type.Integer(),
  token: Type.String({ description: "Its text; bytes that are no UTF-8 by themselves as U+FFFD." }),
  bytes: Type.Array(Type.Integer()),
  logprob: optional(Type.Number({ description: "Of the logits before any sampler; -9999 is never." })),
  prob: optional(Type.Number({ description: "With post_sampling_probs, in its place." })),
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
    warmed: count("Of those, the ones that were prefilled ahead of the request."),
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
          names: optional(Type.Array(Type.String(), { description: "Of tools, or of options." })),
          message: optional(count("Which one, from 0.")),
          at: count("First token that differs."),
          before: optional(Type.String({ description: "Text around it before; not with --redact." })),
          now: optional(Type.String({ description: "Text around it now; not with --redact." })),
        },
        { description: "What the request changed in front of what it adds, where that is why." },
      ),
    ),
    source: Type.String({ description: "Where the state was: sequence, snapshot, host, fork or none." }),
    bytes_moved: count("State saved, restored and copied for this reply."),
    state_ms: milliseconds("Time for that."),
    queued_ms: milliseconds("Time that the request waited for a lane."),
    kept: optional(count("Where no token was asked for: prompt tokens that are kept now.")),
    logits_hash: optional(Type.String({ description: "With --debug-hashes." })),
    tokens_hash: optional(Type.String({ description: "With --debug-hashes." })),
  },
  { $id: "Warmturn", description: "What was resumed, and why no more." },
);

export const HEALTH = Type.Object(
  {
    status: oneOf(["ok", "sleeping", "loading", "restarting", "closing"]),
    error: optional(Type.Unknown({ description: "Of the 503, as elsewhere." })),
    warm: optional(
      oneOf(["idle", "working"], { description: "idle: the next turn is as ready as it gets." }),
    ),
  },
  { $id: "Health" },
);
