/** How the engine of a config is started: one that stays, or, with `--sleep-after`, one that sleeps and is started again. */
import type { Config } from "../config/Config.ts";
import { EngineClient } from "../engine/EngineClient.ts";
import type { EngineOptions } from "../engine/open/EngineOptions.ts";
import { SleepingEngine } from "../engine/SleepingEngine.ts";
import type { Engine } from "../run/Engine.ts";
import type { EngineReady } from "../run/EngineReady.ts";
import type { LoadWatch } from "./LoadWatch.ts";

/** How often it is looked whether it is time to sleep, at most. */
const TICK_MS_MAX = 1_000;

export function engineStarter(
  { flags }: Config,
  { onCrash, progress, log }: LoadWatch,
): (options: EngineOptions) => Promise<Engine> {
  const onNote = (message: string): void => log.warn(message);
  if (flags.sleepAfter < 0) {
    return (options) => EngineClient.start(options, onCrash, { progress: progress.cell, onNote });
  }
  const afterMs = 1_000 * flags.sleepAfter;
  return async (options) => {
    const engine = await SleepingEngine.start({
      afterMs,
      start: (before, kept) =>
        EngineClient.start(before === null ? options : likeBefore(options, before), onCrash, {
          progress: progress.cell,
          kept,
          onNote,
        }),
      now: () => performance.now(),
      log: { info: (message) => log.info(message), error: (message) => log.error(message) },
    });
    setInterval(() => void engine.tick(), Math.min(TICK_MS_MAX, Math.max(10, afterMs / 4))).unref();
    return engine;
  };
}

/** What was planned by the memory that was free then is asked for now: states fit no other context. */
function likeBefore(options: EngineOptions, { ctxTokens, lanes, spares }: EngineReady): EngineOptions {
  if (lanes === 0) return options;
  return { ...options, ctxSize: ctxTokens, parallel: lanes, spareSequences: spares };
}
