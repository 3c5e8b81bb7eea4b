/** `warmturn serve`, and what is done without a command: serves until it is told to stop. */

import { readConfig } from "../config/Config.ts";
import { FLAGS } from "../config/flags.ts";
import { flagRows, type HelpRow } from "../config/help.ts";
import type { Env } from "../config/parseFlags.ts";
import { startServer } from "../start/startServer.ts";
import { locateModel } from "./locateModel.ts";
import { serverOutput } from "./progressOutput.ts";
import { startup } from "./startup.ts";

/** One key press comes more than once: from the terminal, and from the `npx` and `bun run` that it reached too. */
const SAME_PRESS_MS = 500;

export const helpRows: readonly HelpRow[] = flagRows(FLAGS);

/** Ends with 0 after a stop signal, with 1 when the engine dies. */
export async function run(argv: readonly string[], env: Env): Promise<number> {
  const asked = readConfig(argv, env);
  const config = await locateModel(asked, env, serverOutput(asked, env));
  const starting = startup(config, env);
  const { log, progress } = starting;
  const ended = Promise.withResolvers<number>();
  let server: Awaited<ReturnType<typeof startServer>> | undefined;
  let signalledAt: number | undefined;
  const end = async (code: number): Promise<void> => {
    await server?.stop();
    ended.resolve(code);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    starting.end();
    const now = performance.now();
    if (signalledAt !== undefined && now - signalledAt < SAME_PRESS_MS) return;
    // A second one, or one while the model loads, does not wait.
    if (signalledAt !== undefined || server === undefined) process.exit(signal === "SIGINT" ? 130 : 143);
    signalledAt = now;
    log.info({ signal }, "stopping");
    void end(0);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  const onCrash = (message: string): void => {
    log.error(message);
    void end(1);
  };
  try {
    server = await startServer(config, { log, progress, onCrash });
  } finally {
    starting.end();
  }
  starting.ready(server);
  return await ended.promise;
}
