/** The API keys of `--api-key` and `--api-key-file`, each with a name. */
import { readFileSync } from "node:fs";
import type { ApiKey } from "../protocol/http/auth.ts";
import { ConfigError } from "./ConfigError.ts";
import { type GivenKey, givenKey } from "./givenKey.ts";

/** Keys without a name are numbered. Throws ConfigError, which never holds a key. */
export function apiKeys(given: readonly GivenKey[], file: string | null): readonly ApiKey[] {
  const all = [...given, ...(file === null ? [] : keysOf(file))];
  const keys = all.map(({ name, key }, index) => ({ name: name ?? `key-${index + 1}`, key }));
  const names = new Set<string>();
  const seen = new Map<string, string>();
  for (const { name, key } of keys) {
    if (names.has(name)) throw new ConfigError(`--api-key: two keys are called "${name}".`);
    const other = seen.get(key);
    if (other !== undefined) throw new ConfigError(`--api-key: "${other}" and "${name}" are the same key.`);
    names.add(name);
    seen.set(key, name);
  }
  return keys;
}

/** One key a line and comments behind `#`, as in llama-server. A file without any would let everybody in. */
function keysOf(file: string): readonly GivenKey[] {
  const lines = linesOf(file).map((line) => line.trim());
  const keys = lines.flatMap((line) => (line.startsWith("#") ? [] : (givenKey(line) ?? [])));
  if (keys.length === 0) throw new ConfigError(`--api-key-file: ${file} holds no key.`);
  return keys;
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`--api-key-file: ${file} cannot be read (${why}).`);
  }
}
