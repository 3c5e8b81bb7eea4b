/** Serves in this process until it is told to stop, by a signal, by its supervisor, or by that one's death. */
import type { Config } from "../config/Config.ts";
import type { Env } from "../config/parseFlags.ts";
import { type Server, startServer } from "../start/startServer.ts";
import { StopPresses } from "./StopPresses.ts";
import { startup } from "./startup.ts";
import { onStopSignals } from "./stopSignals.ts";
import type { SupervisorLink } from "./supervise/SupervisorLink.ts";

/** As a shell says it. */
const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130 };
const TERMINATED = 143;

/** Gives 0 after a stop signal, 1 when the engine dies. Throws StartError. */
export async function serveHere(config: Config, env: Env, link: SupervisorLink | null): Promise<number> {
  const starting = startup(config, env);
  const { log, progress } = starting;
  for (const note of config.notes) log.warn(note);
  const ended = Promise.withResolvers<number>();
  let server: Server | undefined;
  const presses = new StopPresses(() => performance.now());
  const end = async (code: number): Promise<void> => {
    await server?.stop();
    ended.resolve(code);
  };
  const stop = (signal: NodeJS.Signals, way: "own" | "relayed"): void => {
    starting.end();
    if (!presses.press(way)) return;
    // A second one, or one while the model loads, does not wait.
    if (presses.count > 1 || server === undefined) process.exit(SIGNAL_CODES[signal] ?? TERMINATED);
    log.info({ signal }, "stopping");
    void end(0);
  };
  onStopSignals((signal) => stop(signal, "own"));
  link?.onStop((signal) => stop(signal, "relayed"));
  link?.onGone(() => {
    log.warn("The supervisor is gone; this server ends, too");
    if (server === undefined) process.exit(1);
    void end(0);
  });
  const fault = (error: unknown): void => {
    log.error({ err: error }, "A fault of warmturn itself ends this server");
    process.exit(1);
  };
  process.on("uncaughtException", fault);
  process.on("unhandledRejection", fault);
  const onCrash = (message: string): void => {
    log.error(message);
    void end(1);
  };
  try {
    server = await startServer(config, {
      log,
      progress,
      onCrash,
      sharedPort: link?.sharedPort ?? null,
      onListening: (port) => link?.tell({ type: "listening", port }),
    });
  } finally {
    starting.end();
  }
  link?.tell({ type: "ready" });
  starting.ready(server);
  return await ended.promise;
}
