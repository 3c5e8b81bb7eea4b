/** `warmturn serve`, and what is done without a command: serves until it is told to stop. */

import { version } from "../../package.json";
import { stderrWriter } from "../base/log.ts";
import { type Config, configOf } from "../config/Config.ts";
import { FLAGS } from "../config/flags.ts";
import { type HelpGroup, SERVER_GROUPS } from "../config/help.ts";
import { type Env, parseTable } from "../config/parseFlags.ts";
import { printConfig } from "../config/printConfig.ts";
import { locateModel } from "./locateModel.ts";
import { serverOutput } from "./progressOutput.ts";
import { supervisorLink } from "./supervise/SupervisorLink.ts";

export const helpGroups: readonly HelpGroup[] = SERVER_GROUPS;

/** Ends with 0 after a stop signal. What serves is loaded where it serves, so that a supervisor stays small. */
export async function run(argv: readonly string[], env: Env): Promise<number> {
  const { flags, settings, notes } = parseTable(FLAGS, argv, env);
  if (flags.printConfig) {
    console.log(printConfig(version, settings));
    for (const note of notes) stderrWriter()(`warmturn: ${note}\n`);
    return 0;
  }
  const asked = configOf(flags, env, notes);
  const config = await locateModel(asked, env, serverOutput(asked, env));
  const link = supervisorLink(env);
  if (link === null && isSupervised(config)) {
    const { superviseServer } = await import("./supervise/superviseServer.ts");
    return await superviseServer(argv, config, env);
  }
  const { serveHere } = await import("./serveHere.ts");
  return await serveHere(config, env, link);
}

/** A container starts its process 1 again itself, and tells more by that than a supervisor inside could. */
function isSupervised({ flags }: Config): boolean {
  return flags.supervise ?? process.pid !== 1;
}
