/**
 * Command line and environment to a Config, over the one table. The command line wins over `WARMTURN_…`, that
 * over `LLAMA_ARG_…`. What cannot be read ends the start with a sentence that names it and says what is allowed.
 */
import type { Flag } from "./flag.ts";
import { FLAGS } from "./flags.ts";

/** What a table of flags gives, each value in its flag's type. */
export type FlagValues<T> = { readonly [K in keyof T]: T[K] extends Flag<infer V> ? V : never };

export type Flags = FlagValues<typeof FLAGS>;

export type Env = Readonly<Record<string, string | undefined>>;

/** One sentence for the person who typed the command. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

type AnyFlag = Flag<unknown>;
type Spellings = ReadonlyMap<
  string,
  { readonly key: string; readonly flag: AnyFlag; readonly negative: boolean }
>;

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
): { readonly flags: FlagValues<T>; readonly operands: readonly string[] } {
  const flags = table as unknown as Readonly<Record<string, AnyFlag>>;
  const { given, operands } = readArgv(flags, argv, operandsMax);
  const values: Record<string, unknown> = {};
  for (const [key, flag] of Object.entries(flags)) {
    values[key] = given.has(key) ? given.get(key) : fromEnv(flag, env);
  }
  return { flags: values as FlagValues<T>, operands };
}

/** `--state-ram` is `WARMTURN_STATE_RAM`. */
export function envName(flag: AnyFlag): string {
  return `WARMTURN_${(flag.names[0] ?? "").replace(/^-+/, "").replaceAll("-", "_").toUpperCase()}`;
}

function fromEnv(flag: AnyFlag, env: Env): unknown {
  for (const name of [envName(flag), ...flag.env]) {
    const text = env[name];
    if (text === undefined || text === "") continue;
    const value = flag.read(text);
    if (value === undefined) throw refusal(flag, `The environment variable ${name}`, text);
    return value;
  }
  return flag.fallback;
}

function refusal({ secret, allowed }: AnyFlag, what: string, text: string): ConfigError {
  const sent = secret === true ? "cannot be read" : `is "${text}"`;
  return new ConfigError(`${what} ${sent}; allowed is ${allowed}.`);
}

function readArgv(
  table: Readonly<Record<string, AnyFlag>>,
  argv: readonly string[],
  operandsMax: number,
): { readonly given: ReadonlyMap<string, unknown>; readonly operands: readonly string[] } {
  const spellings = spellingsOf(table);
  const given = new Map<string, unknown>();
  const operands: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const argument = argv[at] ?? "";
    const { name, inline } = splitArgument(argument);
    const hit = spellings.get(name);
    if (hit === undefined && !argument.startsWith("-") && operands.length < operandsMax) {
      operands.push(argument);
      continue;
    }
    if (hit === undefined) throw unknownFlag(name, spellings);
    const { key, flag, negative } = hit;
    let text = inline;
    if (flag.takes === "") text = text ?? "on";
    else if (text === undefined) {
      at += 1;
      text = argv[at];
      if (text === undefined || spellings.has(text)) {
        throw new ConfigError(`${name} needs a value: ${flag.allowed}.`);
      }
    }
    const value = readValue(flag, name, text);
    const result = negative ? value !== true : value;
    const before = given.get(key);
    given.set(key, before !== undefined && flag.join !== undefined ? flag.join(before, result) : result);
  }
  return { given, operands };
}

function readValue(flag: AnyFlag, name: string, text: string): unknown {
  const value = flag.read(text);
  if (value === undefined) throw refusal(flag, name, text);
  return value;
}

/** `--name=value` is one argument; short forms take theirs as the next one. */
function splitArgument(argument: string): { readonly name: string; readonly inline: string | undefined } {
  const at = argument.startsWith("--") ? argument.indexOf("=") : -1;
  if (at < 0) return { name: argument, inline: undefined };
  return { name: argument.slice(0, at), inline: argument.slice(at + 1) };
}

function spellingsOf(table: Readonly<Record<string, AnyFlag>>): Spellings {
  const all = new Map<string, { key: string; flag: AnyFlag; negative: boolean }>();
  for (const [key, flag] of Object.entries(table)) {
    for (const name of flag.names) all.set(name, { key, flag, negative: false });
    for (const name of flag.negative) all.set(name, { key, flag, negative: true });
  }
  return all;
}

function unknownFlag(name: string, spellings: Spellings): ConfigError {
  const near = nearest(name, [...spellings.keys(), "--help", "--version"]);
  const hint = near === undefined ? "--help lists all flags." : `Did you mean ${near}?`;
  return new ConfigError(`${name.startsWith("-") ? "There is no flag" : "Not understood:"} ${name}. ${hint}`);
}

/** The one of `names` that `name` is a misspelling of. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  return names
    .map((known) => ({ known, steps: editDistance(name, known) }))
    .filter(({ known, steps }) => steps <= Math.max(known.length > 4 ? 2 : 1, Math.floor(known.length / 4)))
    .sort((a, b) => a.steps - b.steps)[0]?.known;
}

/** Levenshtein; names are short. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
