/** What a load is watched by. */
import type { Log } from "../base/log.ts";
import type { LoadProgress } from "../engine/LoadProgress.ts";
import type { EngineOptions } from "../engine/open/EngineOptions.ts";
import type { Engine } from "../run/Engine.ts";

export interface LoadWatch {
  readonly log: Log;
  /** The engine has died after it was ready; one sentence. */
  readonly onCrash: (message: string) => void;
  readonly progress: LoadProgress;
  /** Stands in for the engine Worker in this process; everything else is as it is when serving. */
  readonly startEngine?: (options: EngineOptions) => Promise<Engine>;
}
