/** Where files that can be made again are kept: the user's own cache folder. */
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** `WARMTURN_HOME`, else the platform's cache folder; of a user without a home one below the temporary folder. Not made yet. */
export function cacheFolder(env: Record<string, string | undefined> = process.env): string {
  const own = env["WARMTURN_HOME"];
  if (own) return own;
  const home = homeOf(env);
  if (home === null) return temporaryCache();
  if (process.platform === "darwin") return join(home, "Library", "Caches", "warmturn");
  return join(env["XDG_CACHE_HOME"] || join(home, ".cache"), "warmturn");
}

/** One a user, in a folder that others can write to: what lies there has to be looked at before it is used. */
export function temporaryCache(): string {
  return join(tmpdir(), `warmturn-${process.getuid?.() ?? userInfo().username}`);
}

function homeOf(env: Record<string, string | undefined>): string | null {
  try {
    return env["HOME"] || homedir();
  } catch {
    // A number without a name, as containers have them.
    return null;
  }
}
