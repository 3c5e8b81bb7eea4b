/**
 * Where files that can be made again are kept, and how they are written there so that two processes at once
 * never see half a file: under a temporary name, then renamed.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** `WARMTURN_HOME`, else the platform's cache folder. Not made yet. */
export function cacheFolder(env: Record<string, string | undefined> = process.env): string {
  const own = env["WARMTURN_HOME"];
  if (own) return own;
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "warmturn");
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "warmturn");
}

/**
 * Writes `bytes` as `name` in `folder` unless a file of that size is there already (names carry a content
 * hash). Falls back to the system's temporary folder where `folder` cannot be written. Returns the path.
 */
export function keepFile(folder: string, name: string, bytes: Uint8Array): string {
  try {
    return writeOnce(folder, name, bytes);
  } catch {
    return writeOnce(join(tmpdir(), `warmturn-${process.getuid?.() ?? 0}`), name, bytes);
  }
}

function writeOnce(folder: string, name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  if (existsSync(path) && statSync(path).size === bytes.byteLength) return path;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `.${name}.${process.pid}.${Bun.nanoseconds()}.tmp`);
  try {
    writeFileSync(temporary, bytes, { mode: 0o700 });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  return path;
}
