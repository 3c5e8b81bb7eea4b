/**
 * The model that is served when none is named: small enough to be in the repository and in the executable, so
 * that a first chat needs no download. What it is and what it cannot do: models/demo/README.md.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../ffi/cacheFolder.ts";
import { FfiError } from "../../ffi/FfiError.ts";
import { keepFile } from "../../ffi/keepFile.ts";
import { ConfigError } from "./ConfigError.ts";

/** Its name in `/v1/models`. */
export const DEMO_MODEL_NAME = "demo";

const IN_TREE = join(import.meta.dir, "..", "..", "models", "demo", "demo.gguf");

let embedded: string | null = null;

/**
 * Names the file inside the executable.
 * @public for the entry that `scripts/build.ts` writes
 */
export function provideDemoModel(path: string): void {
  embedded = path;
}

/**
 * The demo model's file; null where there is none. llama.cpp opens models by path only, so the one inside the
 * executable is written to the cache folder first, under its content's hash. Throws ConfigError where it cannot be.
 */
export function demoModel(env: Readonly<Record<string, string | undefined>>): string | null {
  if (embedded === null) return existsSync(IN_TREE) ? IN_TREE : null;
  const bytes = readFileSync(embedded);
  const hash = Bun.hash.xxHash64(bytes).toString(16).padStart(16, "0");
  try {
    return keepFile(join(cacheFolder(env), "demo"), `demo-${hash}.gguf`, bytes);
  } catch (error) {
    throw error instanceof FfiError ? new ConfigError(error.message) : error;
  }
}
