/**
 * Shared by embeddings and rankings: counts the tokens of a request's inputs, asks for their vectors, and stops once
 * the client has left.
 */
import { setImmediate } from "node:timers/promises";
import { AppError } from "../../base/AppError.ts";
import { invalid } from "../../chat/fields.ts";
import { EmbedError } from "../../run/EmbedError.ts";
import { engineError } from "../../serve/engineError.ts";
import { readBody } from "../http/readBody.ts";
import type { RouteDeps } from "../shared/RouteDeps.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";

export type EmbedRouteDeps = Pick<RouteDeps, "ready" | "tenantOf">;

export interface EmbedAnswer {
  /** Throws AppError where this server does not do it. */
  readonly check: (service: ServiceDeps) => void;
  readonly of: (raw: string, service: ServiceDeps, signal: AbortSignal) => Promise<object>;
}

/** A status that is never sent: the client has left. */
const LEFT = 499;

export async function answered(
  request: Request,
  { tenantOf, ready }: EmbedRouteDeps,
  answer: EmbedAnswer,
): Promise<Response> {
  tenantOf(request.headers);
  const service = ready();
  answer.check(service);
  const raw = await readBody(request, service.limits.bodyBytesMax);
  try {
    return Response.json(await answer.of(raw, service, request.signal));
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: LEFT });
    throw error;
  }
}

/** Tokens after which the thread is left to others: some ten milliseconds. */
const TOKENS_AT_ONCE = 16_384;

/** Of all inputs, one after another. Throws what `tokenise` does, or the signal's reason once the client has left. */
export async function allTokens<Input>(
  inputs: readonly Input[],
  tokenise: (input: Input, index: number) => Int32Array,
  signal: AbortSignal,
): Promise<readonly Int32Array[]> {
  const all: Int32Array[] = [];
  let since = 0;
  for (const [index, input] of inputs.entries()) {
    const tokens = tokenise(input, index);
    all.push(tokens);
    since += tokens.length;
    if (since < TOKENS_AT_ONCE) continue;
    since = 0;
    await setImmediate();
    signal.throwIfAborted();
  }
  return all;
}

/** The tokens of one input. Throws AppError with its field where there are none, or more than `most`. */
export function tokensWithin(field: string, most: number, tokenise: () => Int32Array): Int32Array {
  let tokens: Int32Array;
  try {
    tokens = tokenise();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "prompt-too-long") throw error;
    throw tooLong(field, error.numbers["n_prompt_tokens"] ?? most + 1, most, "at least ");
  }
  if (tokens.length === 0) throw invalid(field, "must not be empty.");
  if (tokens.length > most) throw tooLong(field, tokens.length, most);
  return tokens;
}

function tooLong(field: string, tokens: number, most: number, about = ""): AppError {
  return new AppError(
    "prompt-too-long",
    `${field}: holds ${about}${tokens} tokens; an input to embed holds ${most} at most here (--ubatch-size, or the ` +
      "model's own limit).",
    { field, numbers: { n_prompt_tokens: tokens, n_ctx: most } },
  );
}

/** Throws AppError, or the signal's reason once the client has left. */
export async function vectorsOf(
  inputs: readonly Int32Array[],
  { turn }: ServiceDeps,
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  try {
    return await turn.engine.embed(inputs, signal);
  } catch (error) {
    throw error instanceof EmbedError ? engineError(error.code, error.message) : error;
  }
}
