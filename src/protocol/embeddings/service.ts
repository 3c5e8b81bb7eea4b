/** Embeddings without HTTP in them: from a body's text to vectors, and to the answers of both protocols. */
import { invalid } from "../../chat/fields.ts";
import { EmbedError } from "../../engine/EmbedCalls.ts";
import type { EmbeddingFacts } from "../../engine/protocol.ts";
import { AppError } from "../../errors.ts";
import { engineError } from "../../serve/engineError.ts";
import { parseBody } from "../http/parseBody.ts";
import { servedModel } from "../http/servedModel.ts";
import type { SentPrompt } from "../llama/prompts.ts";
import type { ChatServiceDeps } from "../openai/service.ts";
import { readEmbeddingRequest } from "./model.ts";
import { normalised } from "./normalise.ts";

export interface Embedded {
  readonly model: string;
  /** Tokens of all inputs. */
  readonly tokens: number;
  readonly vectors: readonly Float32Array[];
  readonly isBase64: boolean;
}

/** Throws AppError where the server was started without them. */
export function embeddingFacts({ turn }: ChatServiceDeps): EmbeddingFacts {
  const { embeddings } = turn.engine.ready;
  if (embeddings !== null) return embeddings;
  throw new AppError(
    "not-supported",
    "This server does not support embeddings. Start it with `--embeddings`.",
  );
}

/** Throws AppError, or the signal's reason once the client has left. */
export async function embed(raw: string, deps: ChatServiceDeps, signal: AbortSignal): Promise<Embedded> {
  const facts = embeddingFacts(deps);
  const { inputs, dimensions, isBase64, normalise, ...asked } = readEmbeddingRequest(
    parseBody(raw),
    facts,
    deps.sampling,
  );
  const model = servedModel(asked.model, deps.models);
  const tokens = inputs.map((input) => tokensOf(input, facts, deps));
  const vectors = await vectorsOf(tokens, deps, signal);
  return {
    model,
    tokens: tokens.reduce((sum, { length }) => sum + length, 0),
    vectors: vectors.map((vector) => normalised(vector, dimensions, normalise)),
    isBase64,
  };
}

/** As llama-server's: BOS and EOS around text, where the model wants them. */
function tokensOf(
  { prompt, field }: SentPrompt,
  { tokensMax }: EmbeddingFacts,
  deps: ChatServiceDeps,
): Int32Array {
  const { turn, card } = deps;
  let tokens: Int32Array;
  try {
    tokens = turn.prompter.rawTokens(prompt, tokensMax + 1);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "prompt-too-long") throw error;
    throw tooLong(field, error.numbers["n_prompt_tokens"] ?? tokensMax + 1, tokensMax, "at least ");
  }
  const last = prompt.parts.at(-1);
  if (last !== undefined && "text" in last && card.eos !== null && tokens.at(-1) !== card.eos) {
    tokens = Int32Array.of(...tokens, card.eos);
  }
  if (tokens.length === 0) throw invalid(field, "must not be empty.");
  if (tokens.length > tokensMax) throw tooLong(field, tokens.length, tokensMax);
  return tokens;
}

function tooLong(field: string, tokens: number, most: number, about = ""): AppError {
  return new AppError(
    "prompt-too-long",
    `${field}: holds ${about}${tokens} tokens; an input to embed holds ${most} at most here (--ubatch-size).`,
    { field, numbers: { n_prompt_tokens: tokens, n_ctx: most } },
  );
}

async function vectorsOf(
  inputs: readonly Int32Array[],
  { turn }: ChatServiceDeps,
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  try {
    return await turn.engine.embed(inputs, signal);
  } catch (error) {
    throw error instanceof EmbedError ? engineError(error.code, error.message) : error;
  }
}

export function openAiAnswer({ model, tokens, vectors, isBase64 }: Embedded): object {
  return {
    object: "list",
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: isBase64 ? base64(vector) : [...vector],
      ...(isBase64 ? { encoding_format: "base64" } : {}),
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** A list of one vector each, which llama-server has for models that do not pool. */
export function llamaAnswer({ vectors }: Embedded): object {
  return vectors.map((vector, index) => ({ index, embedding: [[...vector]] }));
}

/** Little-endian 32-bit floats, as they lie in memory on every machine that is served. */
function base64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64");
}
