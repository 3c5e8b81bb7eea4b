/** How this program is started here: what a line that is to be typed begins with. */
import { packageManager } from "../../package.json";
import { isCompiled } from "../base/workerUrl.ts";
import type { Env } from "./parseFlags.ts";

/** `typed`: the executable as the shell was told it. */
export function programOf(compiled: boolean, typed: string, env: Env): string {
  if (compiled) return /^[\w./~+@:-]+$/.test(typed) ? typed : `'${typed.replaceAll("'", "'\\''")}'`;
  // Of whoever came in by npm, who may have no other bun than this one; `bun run` leaves it as it is.
  return env["npm_config_user_agent"]?.startsWith("npm/") ? `npx -y ${packageManager} start` : "bun start";
}

export const program: string = programOf(isCompiled, process.argv0, process.env);
