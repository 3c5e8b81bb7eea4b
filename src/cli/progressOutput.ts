/** Where a command shows how far a fetch has come. stdout is for results, so that it is stderr. */

import { createLog, stderrWriter } from "../base/log.ts";
import type { Config } from "../config/Config.ts";
import type { Env } from "../config/parseFlags.ts";
import { lookOf } from "./Look.ts";
import type { ProgressOutput } from "./showProgress.ts";

export function stderrOutput(env: Env): ProgressOutput {
  const { stderr } = process;
  const look = lookOf(stderr, env);
  const write = stderrWriter();
  return {
    line: (text) => write(`${text}\n`),
    terminal: look.moves ? { write, look } : null,
    now: () => performance.now(),
  };
}

/** Before a server: the same on a terminal, else lines of its log. */
export function serverOutput(config: Config, env: Env): ProgressOutput {
  const { logLevel, logFormat } = config.flags;
  const look = lookOf(process.stdout, env);
  if (look.isTerminal && logFormat !== "json") return stderrOutput(env);
  const log = createLog({ level: logLevel, format: logFormat, look });
  return { ...stderrOutput(env), line: (text) => log.info(text), terminal: null };
}
