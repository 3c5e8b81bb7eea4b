/**
 * Command line and environment to a Config, over the one table. The command line wins over `WARMTURN_…`, that
 * over `LLAMA_ARG_…`. What cannot be read ends the start with a sentence that names it and says what is allowed.
 */
import type { Flag } from "./flag.ts";
import { FLAGS } from "./flags.ts";

type Table = typeof FLAGS;

export type Flags = { readonly [K in keyof Table]: Table[K] extends Flag<infer T> ? T : never };

/** One sentence for the person who typed the command. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

type AnyFlag = Flag<unknown>;
type Spellings = ReadonlyMap<
  string,
  { readonly key: string; readonly flag: AnyFlag; readonly negative: boolean }
>;

// Each value is read by its own flag, so that the key decides the type; the table's type cannot say so.
const TABLE = FLAGS as unknown as Readonly<Record<string, AnyFlag>>;

export function parseFlags(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Flags {
  const given = readArgv(argv);
  const values: Record<string, unknown> = {};
  for (const [key, flag] of Object.entries(TABLE)) {
    values[key] = given.has(key) ? given.get(key) : fromEnv(flag, env);
  }
  return values as Flags;
}

/** `--state-ram` is `WARMTURN_STATE_RAM`. */
export function envName(flag: AnyFlag): string {
  return `WARMTURN_${(flag.names[0] ?? "").replace(/^-+/, "").replaceAll("-", "_").toUpperCase()}`;
}

function fromEnv(flag: AnyFlag, env: Readonly<Record<string, string | undefined>>): unknown {
  for (const name of [envName(flag), ...flag.env]) {
    const text = env[name];
    if (text === undefined || text === "") continue;
    const value = flag.read(text);
    if (value === undefined) {
      throw new ConfigError(`The environment variable ${name} is "${text}"; allowed is ${flag.allowed}.`);
    }
    return value;
  }
  return flag.fallback;
}

function readArgv(argv: readonly string[]): Map<string, unknown> {
  const spellings = spellingsOf();
  const given = new Map<string, unknown>();
  for (let at = 0; at < argv.length; at += 1) {
    const { name, inline } = splitArgument(argv[at] ?? "");
    const hit = spellings.get(name);
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
  return given;
}

function readValue(flag: AnyFlag, name: string, text: string): unknown {
  const value = flag.read(text);
  if (value === undefined) throw new ConfigError(`${name} is "${text}"; allowed is ${flag.allowed}.`);
  return value;
}

/** `--name=value` is one argument; short forms take theirs as the next one. */
function splitArgument(argument: string): { readonly name: string; readonly inline: string | undefined } {
  const at = argument.startsWith("--") ? argument.indexOf("=") : -1;
  if (at < 0) return { name: argument, inline: undefined };
  return { name: argument.slice(0, at), inline: argument.slice(at + 1) };
}

function spellingsOf(): Spellings {
  const all = new Map<string, { key: string; flag: AnyFlag; negative: boolean }>();
  for (const [key, flag] of Object.entries(TABLE)) {
    for (const name of flag.names) all.set(name, { key, flag, negative: false });
    for (const name of flag.negative) all.set(name, { key, flag, negative: true });
  }
  return all;
}

function unknownFlag(name: string, spellings: Spellings): ConfigError {
  const names = [...spellings.keys(), "--help", "--version"];
  const near = names
    .map((known) => ({ known, steps: editDistance(name, known) }))
    .filter(({ known, steps }) => steps <= Math.max(known.length > 4 ? 2 : 1, Math.floor(known.length / 4)))
    .sort((a, b) => a.steps - b.steps)[0];
  const hint = near === undefined ? "--help lists all flags." : `Did you mean ${near.known}?`;
  return new ConfigError(`${name.startsWith("-") ? "There is no flag" : "Not understood:"} ${name}. ${hint}`);
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
