/**
 * Libraries that travel inside a compiled executable. The build's generated module names them with
 * `provideEmbedded`; the first open writes them to the cache folder, under their content's hash, each file
 * whole or not at all, so that any number of processes and threads may start at once.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./cacheFolder.ts";
import { keepFiles } from "./keepFile.ts";

/** File name → where its bytes are: a path that `readFileSync` opens (also `/$bunfs/…`), or the bytes. */
export type EmbeddedFiles = Readonly<Record<string, string | Uint8Array>>;

let provided: EmbeddedFiles | null = null;

/**
 * Called once per thread (each Worker has its own modules) before the library is opened.
 * @public for the entry that `scripts/build.ts` writes
 */
export function provideEmbedded(files: EmbeddedFiles): void {
  provided = Object.keys(files).length > 0 ? files : null;
}

/** The folder that holds the provided files, written there if they are not yet; null when none is provided. */
export function embeddedLibrary(): string | null {
  return provided ? extractEmbedded(provided, join(cacheFolder(), "lib")) : null;
}

/** Writes `files` below `folder`; returns the folder they lie in. */
export function extractEmbedded(files: EmbeddedFiles, folder: string): string {
  const entries = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, at]) => [name, typeof at === "string" ? readFileSync(at) : at] as const);
  let hash = 0n;
  for (const [name, bytes] of entries) {
    hash = Bun.hash.xxHash64(name, hash);
    hash = Bun.hash.xxHash64(bytes, hash);
  }
  const target = join(folder, hash.toString(16).padStart(16, "0"));
  return keepFiles(target, entries);
}
