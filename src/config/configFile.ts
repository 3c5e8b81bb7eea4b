/**
 * A file of settings: TOML, one name a flag, without its dashes. Only a file that is named is read: one that lay in
 * the folder where the server happens to be started could name a library to load.
 */
import { readFileSync, statSync } from "node:fs";
import { ConfigError } from "./ConfigError.ts";
import { nearest } from "./nearest.ts";
import { type AnyFlag, type Setting, settingName } from "./Setting.ts";

/** By the table's keys. Throws ConfigError, which names the file and the setting. */
export function readConfigFile(
  file: string,
  table: Readonly<Record<string, AnyFlag>>,
): ReadonlyMap<string, Setting> {
  const settings = new Map<string, Setting>();
  const names = namesOf(table);
  for (const [name, value] of Object.entries(parsed(file))) {
    const key = names.get(name.replaceAll("_", "-"));
    const flag = key === undefined ? undefined : table[key];
    if (key === undefined || flag === undefined) throw unknownSetting(file, name, value, [...names.keys()]);
    if (settings.has(key))
      throw new ConfigError(`${file} sets ${settingName(flag)} twice, the second time as ${name}.`);
    settings.set(key, settingOf(file, name, flag, value));
  }
  return settings;
}

/** A sentence where others can read the keys in a file; null elsewhere, and where a system has no such bits. */
export function readableByOthers(file: string): string | null {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform === "win32" || (mode & 0o044) === 0) return null;
  return `${file} holds API keys and can be read by other users of this machine: chmod 600 ${file}.`;
}

function parsed(file: string): object {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`--config: ${file} cannot be read (${wordsOf(error)}).`);
  }
  try {
    return Bun.TOML.parse(text);
  } catch (error) {
    throw new ConfigError(`--config: ${file} is no TOML (${wordsOf(error)}).`);
  }
}

/** All long spellings, as they stand in a file. */
function namesOf(table: Readonly<Record<string, AnyFlag>>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [key, flag] of Object.entries(table)) {
    if (flag.notIn?.includes("file") === true) continue;
    for (const name of flag.names) if (name.startsWith("--")) names.set(name.slice(2), key);
  }
  return names;
}

function settingOf(file: string, name: string, flag: AnyFlag, value: unknown): Setting {
  const texts = (Array.isArray(value) ? value : [value]).map((one) => textOf(file, name, one));
  if (Array.isArray(value) && flag.join === undefined)
    throw new ConfigError(`${file}: ${name} takes one value, not a list.`);
  const read = texts.map((text) => {
    const one = flag.read(text);
    if (one !== undefined) return one;
    const sent = flag.secret === true ? "cannot be read" : `is "${text}"`;
    throw new ConfigError(`${file}: ${name} ${sent}; allowed is ${flag.allowed}.`);
  });
  const [first = flag.fallback, ...others] = read;
  const joined = others.reduce((all, one) => flag.join?.(all, one) ?? one, first);
  return { value: joined, from: "file", name: file, texts };
}

function textOf(file: string, name: string, value: unknown): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return String(value);
  throw new ConfigError(`${file}: ${name} is neither a text, a number, true or false, nor a list of these.`);
}

function unknownSetting(file: string, name: string, value: unknown, known: readonly string[]): ConfigError {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return new ConfigError(`${file}: there is no section [${name}]; settings stand at the top of the file.`);
  }
  const near = nearest(name.replaceAll("_", "-"), known);
  const hint =
    near === undefined ? "warmturn --help lists all, here without their dashes." : `Did you mean ${near}?`;
  return new ConfigError(`${file}: there is no setting ${name}. ${hint}`);
}

function wordsOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? "";
}
