/** What a step of prefill or decode needs of the loop: its settings, the kept states, and how a run ends. */

import type { PadRule } from "../plan/padding.ts";
import type { Device } from "../run/Device.ts";
import type { EngineErrorCode, EngineEvent } from "../run/EngineEvent.ts";
import type { StateKeeper } from "../state/StateKeeper.ts";
import type { EmbedQueue } from "./EmbedQueue.ts";
import type { Run } from "./Run.ts";

export interface EngineLoopOptions {
  readonly device: Device;
  /** Tokens of the longest chunk between two cuts. */
  readonly chunkTokensMax: number;
  /** Null where last chunks are evaluated as they are. */
  readonly padding: PadRule | null;
  /** Budget for snapshots and full saves in host memory. */
  readonly stateRamBytes: number;
  /** Requests that may wait for a lane, and warm runs that may wait for quiet. */
  readonly queueMax: number;
  /** Each lane decodes alone: a reply's bits then do not depend on what else runs. */
  readonly exactDecode: boolean;
  readonly debugHashes: boolean;
  /** The books are checked whenever nothing is left to do. */
  readonly debugIntegrity: boolean;
  /** What the self-test of this setup said. */
  readonly resumeAllowed: boolean;
  /** False: states are resumed only where a whole one ends. True where left out. */
  readonly rollsBack?: boolean;
  /** Milliseconds. */
  readonly clock: { now(): number };
  /** Missing where nothing is embedded. */
  readonly embeds?: EmbedQueue;
  readonly emit: (event: EngineEvent) => void;
}

export interface LoopContext {
  readonly options: EngineLoopOptions;
  readonly states: StateKeeper;
  done(run: Run, reason: "stop" | "length" | "prefilled"): void;
  failed(run: Run, code: EngineErrorCode, message: string): void;
  /** A device error ends these runs and empties their sequences; anything else is thrown. */
  failAll(runs: readonly Run[], error: unknown): void;
  /** No request but `run` runs or waits. */
  isAlone(run: Run): boolean;
}
