/**
 * Schemas that more than one protocol's documentation holds. A schema with an `$id` stands in `/openapi.json`
 * once, under that name. `null` for a field that may be missing is the same as its absence, unsaid below.
 */
import { type SchemaOptions, type TProperties, type TSchema, Type } from "@sinclair/typebox";

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

const anyNumber = (description: string, fallback: number): TSchema =>
  optional(Type.Number({ description, default: fallback }));
const share = (description: string, fallback: number): TSchema =>
  optional(Type.Number({ description, default: fallback, minimum: 0, maximum: 1 }));

/** llama-server's names and defaults, in every protocol. */
export const SAMPLING: TProperties = {
  temperature: anyNumber("0 always takes the likeliest token.", 0.8),
  top_k: optional(Type.Integer({ description: "0 or less is off.", default: 40 })),
  top_p: share("1 is off.", 0.95),
  min_p: share("0 is off.", 0.05),
  repeat_penalty: optional(
    Type.Number({ description: "1 is off.", default: 1, minimum: 1e-3, maximum: 1e3 }),
  ),
  repeat_last_n: optional(
    Type.Integer({ description: "Tokens that penalties look back; -1 is all.", default: 64, minimum: -1 }),
  ),
  presence_penalty: anyNumber("0 is off.", 0),
  frequency_penalty: anyNumber("0 is off.", 0),
  seed: optional(Type.Integer({ description: "-1 draws one.", default: -1 })),
  logit_bias: optional(
    Type.Unsafe({
      description: "Token ids and what is added to their logits; false forbids the token.",
      type: ["object", "array"],
    }),
  ),
  grammar: optional(Type.String({ description: "GBNF that the reply must keep to." })),
  ignore_eos: optional(Type.Boolean({ description: "Go on to the limit.", default: false })),
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

export const WARMTURN = Type.Object(
  {
    resumed: count("Prompt tokens that a kept state covered."),
    warmed: count("Of those, the ones that were prefilled ahead of the request."),
    prefilled: count("Prompt tokens that this request had to evaluate."),
    miss: oneOf(["none", "cold", "tokens-differ", "evicted", "no-rollback", "resume-off"]),
    why: Type.String({ description: "Why no more was resumed." }),
    miss_at: Type.Integer({
      description: "First token that differs from the nearest kept conversation, or -1.",
    }),
    source: Type.String({ description: "Where the state was: sequence, snapshot, host, fork or none." }),
    bytes_moved: count("State saved, restored and copied for this reply."),
    state_ms: milliseconds("Time for that."),
    queued_ms: milliseconds("Time that the request waited for a lane."),
    logits_hash: optional(Type.String({ description: "With --debug-hashes." })),
    tokens_hash: optional(Type.String({ description: "With --debug-hashes." })),
  },
  { $id: "Warmturn", description: "What was resumed, and why no more." },
);

export const HEALTH = Type.Object(
  {
    status: oneOf(["ok", "loading", "closing"]),
    error: optional(Type.Unknown({ description: "Of the 503, as elsewhere." })),
    warm: optional(
      oneOf(["idle", "working"], { description: "idle: the next turn is as ready as it gets." }),
    ),
  },
  { $id: "Health" },
);
