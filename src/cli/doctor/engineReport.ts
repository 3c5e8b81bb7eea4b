/** Memory and exactness of an opened engine: its own plan and measured shape, its self-tests run anew. */

import type { EngineOptions } from "../../engine/open/EngineOptions.ts";
import { type ModelShape, snapshotBytes, stateBytes } from "../../engine/open/modelShape.ts";
import type { OpenedEngine, OpenedGenerator } from "../../engine/open/openEngine.ts";
import { decodeTest } from "../../engine/proof/proveDecode.ts";
import {
  LAST_CHUNK_TOKENS,
  longSelfTest,
  type SelfTestResult,
  type SelfTestSize,
  selfTest,
  shortSelfTest,
} from "../../engine/proof/proveStates.ts";
import type { ChunkRules } from "../../plan/Plan.ts";
import type { ExactnessReport, HoldsReport, MemoryReport, ModelReport, WaysReport } from "./DoctorReport.ts";

/** Lengths of conversations that budgets are told in; the context's own is told as well. */
const CONVERSATION_TOKENS = [4096, 32768];
/** Kept beside a conversation's full save: end of system and tools, start and end of the last user message, last cut. */
const SNAPSHOTS = 4;

export function modelReport(path: string, { ready, facts }: OpenedEngine): ModelReport {
  const { shape } = facts;
  const { description, architecture, quantisation, parameters } = ready.facts;
  return {
    path,
    description,
    architecture,
    quantisation,
    parameters,
    weight_bytes: shape.weightBytes,
    layers: facts.layers,
    vocabulary: shape.vocab,
    train_tokens: shape.ctxTrain,
    memory: ready.memory,
    window_tokens: shape.window,
  };
}

/** `rules` are the template's, or the engine's own where there is none. */
export function memoryReport(
  { ready, facts }: OpenedGenerator,
  options: Pick<EngineOptions, "threads" | "threadsBatch">,
  rules: Pick<ChunkRules, "chunkTokensMin" | "chunkTokensMax" | "tripTokensMin">,
): MemoryReport {
  const { shape, plan, room } = facts;
  return {
    on: facts.useDevice ? "gpu" : "cpu",
    threads: options.threads,
    threads_batch: options.threadsBatch,
    ctx_tokens: ready.ctxTokens,
    lanes: ready.lanes,
    spares: ready.spares,
    chunk_min_tokens: rules.chunkTokensMin,
    chunk_max_tokens: rules.chunkTokensMax,
    trip_min_tokens: rules.tripTokensMin,
    kv_token_bytes: shape.tokenBytes,
    window_token_bytes: shape.windowTokenBytes,
    recurrent_bytes: shape.recurrentBytes,
    snapshot_bytes: snapshotBytes(shape, ready.ctxTokens),
    weight_bytes: shape.weightBytes,
    kv_bytes: plan.kvBytes,
    compute_bytes: plan.computeBytes,
    state_ram_bytes: plan.stateRamBytes,
    total_bytes: plan.totalBytes,
    free_host_bytes: room.hostBytes,
    free_device_bytes: room.deviceBytes,
    holds: [...CONVERSATION_TOKENS.filter((tokens) => tokens < ready.ctxTokens), ready.ctxTokens].map(
      (tokens) => holds(shape, tokens, plan.stateRamBytes),
    ),
  };
}

function holds(shape: ModelShape, tokens: number, budgetBytes: number): HoldsReport {
  const bytes = stateBytes(shape, tokens) + SNAPSHOTS * snapshotBytes(shape, tokens);
  return {
    conversation_tokens: tokens,
    conversation_bytes: bytes,
    conversations: Math.floor(budgetBytes / Math.max(1, bytes)),
  };
}

/** Runs the tests now, whatever is remembered, and remembers what they say: the server goes by it from now on. */
export function exactnessReport({ device, ready, facts }: OpenedGenerator): ExactnessReport {
  const sizes = {
    short: shortSelfTest(ready.chunkTokensMax),
    long: longSelfTest(ready.chunkTokensMax, facts.shape.window, ready.ctxTokens),
  };
  const short = selfTest(device, sizes.short);
  const long = selfTest(device, sizes.long);
  const verdict = short.allowed ? long : short;
  facts.remembered.write(ready.setup, verdict);
  const decode = decodeTest(device);
  return {
    allowed: verdict.allowed,
    why: verdict.why,
    short: waysReport(short, sizes.short),
    long: waysReport(long, sizes.long),
    decode: { again: decode.again, beside_others: decode.besideOthers, together: verdict.together },
  };
}

function waysReport({ equal }: SelfTestResult, size: SelfTestSize): WaysReport {
  return {
    prompt_tokens: size.chunkTokens * size.chunks + LAST_CHUNK_TOKENS,
    again: equal.again,
    resumed: equal.resumed,
    other_sequence: equal.otherSequence,
    restored: equal.restored,
    forked: equal.forked,
  };
}
