/** Embeddings without HTTP in them: from a body's text to vectors, and to the answers of both protocols. */

import { AppError } from "../../base/AppError.ts";
import type { Limits } from "../../base/limits.ts";
import { invalid } from "../../chat/fields.ts";
import { joined } from "../../prompt/joined.ts";
import type { EmbeddingFacts } from "../../run/EngineReady.ts";
import { parseBody } from "../http/parseBody.ts";
import { servedModel } from "../http/servedModel.ts";
import type { SentPrompt } from "../shared/rawPrompts.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import { allTokens, tokensWithin, vectorsOf } from "./evaluated.ts";
import { readEmbeddingRequest } from "./model.ts";
import { normalised } from "./normalise.ts";

export interface Embedded {
  readonly model: string;
  /** Tokens of all inputs. */
  readonly tokens: number;
  /** Of each input: one vector, or one of each token where nothing is pooled. */
  readonly inputs: readonly (readonly Float32Array[])[];
  readonly isBase64: boolean;
}

/** Throws AppError where the server was started without them. */
export function embeddingFacts({ turn }: ServiceDeps): EmbeddingFacts {
  const { embeddings, ranking } = turn.engine.ready;
  if (embeddings !== null) return embeddings;
  throw new AppError(
    "not-supported",
    ranking === null
      ? "This server does not support embeddings. Start it with `--embeddings`."
      : "This server ranks, and does not support embeddings. Start it with `--embeddings` and another `--pooling` than rank.",
  );
}

/** Throws AppError also where each token has its vector, which OpenAI's form has no room for. */
export function pooledFacts(deps: ServiceDeps): EmbeddingFacts {
  const facts = embeddingFacts(deps);
  if (facts.pooling !== "none") return facts;
  throw new AppError(
    "invalid-request",
    "Pooling type 'none' is not OpenAI's: ask /embedding, or start the server with another `--pooling`.",
  );
}

/** Throws AppError, or the signal's reason once the client has left. */
export async function embed(raw: string, deps: ServiceDeps, signal: AbortSignal): Promise<Embedded> {
  const facts = embeddingFacts(deps);
  const { inputs, field, dimensions, isBase64, normalise, ...asked } = readEmbeddingRequest(
    parseBody(raw),
    facts,
    deps.sampling,
    deps.embdNormalize,
  );
  const model = servedModel(asked.model, deps.models);
  const tokens = await allTokens(inputs, (input) => tokensOf(input, facts, deps), signal);
  const total = tokens.reduce((sum, { length }) => sum + length, 0);
  if (facts.pooling === "none") checkRoom(total, dimensions, field, deps.limits);
  const vectors = await vectorsOf(tokens, deps, signal);
  // As llama-server: tokens keep their length.
  const way = facts.pooling === "none" ? -1 : normalise;
  return {
    model,
    tokens: total,
    inputs: vectors.map((all) => rowsOf(all, facts.size).map((row) => normalised(row, dimensions, way))),
    isBase64,
  };
}

/** Where each token has a vector, an answer grows with the tokens, and not with the inputs alone. */
function checkRoom(tokens: number, size: number, field: string, { embeddingNumbersMax: most }: Limits): void {
  const numbers = tokens * size;
  if (numbers <= most) return;
  throw invalid(
    field,
    `holds ${tokens} tokens, whose vectors are ${numbers} numbers; at most ${most} are allowed in one answer.`,
  );
}

function rowsOf(all: Float32Array, size: number): Float32Array[] {
  return Array.from({ length: all.length / size }, (_, row) => all.subarray(row * size, (row + 1) * size));
}

/** As llama-server's: BOS and EOS (or SEP) around text, where the model wants them. */
function tokensOf(
  { prompt, field }: SentPrompt,
  { tokensMax }: EmbeddingFacts,
  { turn, card }: ServiceDeps,
): Int32Array {
  return tokensWithin(field, tokensMax, () => {
    const tokens = turn.prompter.rawTokens(prompt, tokensMax + 1);
    const last = prompt.parts.at(-1);
    const isOpen = last !== undefined && "text" in last && card.eos !== null && tokens.at(-1) !== card.eos;
    return isOpen ? joined([tokens, Int32Array.of(card.eos)]) : tokens;
  });
}

/** Of pooled inputs. */
export function openAiAnswer({ model, tokens, inputs, isBase64 }: Embedded): object {
  return {
    object: "list",
    data: inputs.flat().map((vector, index) => ({
      object: "embedding",
      index,
      embedding: isBase64 ? base64(vector) : [...vector],
      ...(isBase64 ? { encoding_format: "base64" } : {}),
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

export function llamaAnswer({ inputs }: Embedded): object {
  return inputs.map((vectors, index) => ({ index, embedding: vectors.map((vector) => [...vector]) }));
}

/** Little-endian 32-bit floats, as they lie in memory on every machine that is served. */
function base64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64");
}
