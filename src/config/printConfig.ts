/**
 * All settings and where each comes from, as a file that `--config` reads: what was set stands as it is, defaults
 * stand as comments. Keys are counted and named, never shown.
 */
import { FLAG_GROUPS } from "./flagGroups.ts";
import { type AnyFlag, type Setting, settingName } from "./Setting.ts";

export function printConfig(version: string, settings: Readonly<Record<string, Setting>>): string {
  const groups = FLAG_GROUPS.map(({ title, flags }) => {
    const lines = Object.entries(flags).flatMap(([key, flag]) => {
      const setting = settings[key];
      return setting === undefined || flag.notIn?.includes("file") === true ? [] : [lineOf(flag, setting)];
    });
    return [`# ${title}`, ...lines].join("\n");
  });
  return [`# warmturn ${version}: its settings, as --config reads them.`, ...groups].join("\n\n");
}

function lineOf(flag: AnyFlag, { from, name, texts, value }: Setting): string {
  const source =
    from === "command line" ? name : from === "environment" ? name : from === "file" ? `in ${name}` : from;
  if (from === "default") return `# ${settingName(flag)} = ${defaultText(flag)}`;
  if (flag.secret === true) return `# ${settingName(flag)}: ${countOf(value)}, not shown  # ${source}`;
  return `${settingName(flag)} = ${tomlOf(flag, texts)}  # ${source}`;
}

function defaultText(flag: AnyFlag): string {
  if (flag.takes === "") return flag.fallback === true ? "true" : "false";
  if (flag.defaultText === "") return "(not set)";
  return /^-?\d+(\.\d+)?$/.test(flag.defaultText) ? flag.defaultText : `(${flag.defaultText})`;
}

/** A switch's words are those of `flag.read`. */
function tomlOf(flag: AnyFlag, texts: readonly string[]): string {
  const one = (text: string): string => {
    if (flag.takes === "") return String(flag.read(text) === true);
    return /^-?(0|[1-9]\d{0,14})(\.\d{1,6})?$/.test(text) ? text : JSON.stringify(text);
  };
  const [first = ""] = texts;
  return texts.length === 1 ? one(first) : `[${texts.map((text) => JSON.stringify(text)).join(", ")}]`;
}

function countOf(value: unknown): string {
  const given = Array.isArray(value) ? value : [];
  const names = given.map((one: { readonly name?: string | null }, at) => one.name ?? `key-${at + 1}`);
  return names.length === 1 ? `1 key (${names[0]})` : `${names.length} keys (${names.join(", ")})`;
}
