/**
 * Command line, environment and file to settings, over the one table. The command line wins over `WARMTURN_…`, that
 * over `LLAMA_ARG_…`, that over the file. What cannot be read ends the start with a sentence that names it and says
 * what is allowed.
 */
import { readableByOthers, readConfigFile } from "./configFile.ts";
import { unknownVariables } from "./environment.ts";
import type { Flag } from "./flag.ts";
import { FLAGS } from "./flags.ts";
import { readArgv, refusal } from "./readArgv.ts";
import { type AnyFlag, envName, type Setting } from "./Setting.ts";

/** What a table of flags gives, each value in its flag's type. */
export type FlagValues<T> = { readonly [K in keyof T]: T[K] extends Flag<infer V> ? V : never };

export type Flags = FlagValues<typeof FLAGS>;

export type Env = Readonly<Record<string, string | undefined>>;

export interface ParsedTable<T> {
  readonly flags: FlagValues<T>;
  readonly operands: readonly string[];
  /** By the table's keys. */
  readonly settings: Readonly<Record<string, Setting>>;
  /** What was given and means nothing, or is unsafe: a sentence each. */
  readonly notes: readonly string[];
}

/** The server's flags. Throws ConfigError. */
export function parseFlags(argv: readonly string[], env: Env): Flags {
  return parseTable(FLAGS, argv, env).flags;
}

/**
 * Any table of flags, and up to `operandsMax` words that are none (`pull NAME`). Throws ConfigError. Each value
 * is read by its own flag, so that the key decides the type; the casts say what the table's type cannot.
 */
export function parseTable<T extends object>(
  table: T,
  argv: readonly string[],
  env: Env,
  operandsMax = 0,
): ParsedTable<T> {
  const flags = table as unknown as Readonly<Record<string, AnyFlag>>;
  const { given, operands } = readArgv(flags, argv, operandsMax);
  const nearer = (key: string, flag: AnyFlag): Setting | undefined => given.get(key) ?? fromEnv(flag, env);
  const file = "config" in flags ? nearer("config", flags["config"] as AnyFlag)?.value : undefined;
  const filed = typeof file === "string" ? readConfigFile(file, flags) : new Map<string, Setting>();
  const settings: Record<string, Setting> = {};
  for (const [key, flag] of Object.entries(flags)) {
    settings[key] = nearer(key, flag) ?? filed.get(key) ?? defaultOf(flag);
  }
  const values = Object.fromEntries(Object.entries(settings).map(([key, { value }]) => [key, value]));
  const secretInFile = [...filed].some(([key]) => flags[key]?.secret === true);
  const open = secretInFile ? readableByOthers(String(file)) : null;
  const notes = [...unknownVariables(env), ...(open === null ? [] : [open])];
  return { flags: values as FlagValues<T>, operands, settings, notes };
}

function fromEnv(flag: AnyFlag, env: Env): Setting | undefined {
  if (flag.notIn?.includes("environment") === true) return undefined;
  for (const name of [envName(flag), ...flag.env]) {
    const text = env[name];
    if (text === undefined || text === "") continue;
    const value = flag.read(text);
    if (value === undefined) throw refusal(flag, `The environment variable ${name}`, text);
    return { value, from: "environment", name, texts: [text] };
  }
  return undefined;
}

function defaultOf(flag: AnyFlag): Setting {
  return { value: flag.fallback, from: "default", name: "", texts: [] };
}
