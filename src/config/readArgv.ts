/** A command line over a table of flags: what each was given as. */
import { ConfigError } from "./ConfigError.ts";
import { nearest } from "./nearest.ts";
import type { AnyFlag, Setting } from "./Setting.ts";

type Spellings = ReadonlyMap<
  string,
  { readonly key: string; readonly flag: AnyFlag; readonly negative: boolean }
>;

interface ReadArgv {
  /** By the table's keys. */
  readonly given: ReadonlyMap<string, Setting>;
  readonly operands: readonly string[];
}

/** Throws ConfigError. */
export function readArgv(
  table: Readonly<Record<string, AnyFlag>>,
  argv: readonly string[],
  operandsMax: number,
): ReadArgv {
  const spellings = spellingsOf(table);
  const given = new Map<string, Setting>();
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
    given.set(key, added(given.get(key), flag, { name, text, negative }));
  }
  return { given, operands };
}

interface Typed {
  readonly name: string;
  readonly text: string;
  readonly negative: boolean;
}

function added(before: Setting | undefined, flag: AnyFlag, { name, text, negative }: Typed): Setting {
  const read = flag.read(text);
  if (read === undefined) throw refusal(flag, name, text);
  const value = negative ? read !== true : read;
  const setting: Setting = { value, from: "command line", name, texts: [negative ? String(value) : text] };
  if (before === undefined || flag.join === undefined) return setting;
  return { ...setting, value: flag.join(before.value, value), texts: [...before.texts, text] };
}

/** `what` is where it was given: a flag, a variable. */
export function refusal({ secret, allowed }: AnyFlag, what: string, text: string): ConfigError {
  const sent = secret === true ? "cannot be read" : `is "${text}"`;
  return new ConfigError(`${what} ${sent}; allowed is ${allowed}.`);
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
