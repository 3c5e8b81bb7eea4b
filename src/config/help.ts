/** `--help` and the README's table, out of the table of flags. */
import type { Flag } from "./flag.ts";
import { FLAGS } from "./flags.ts";
import { envName } from "./parseFlags.ts";

const TABLE = Object.values(FLAGS) as unknown as readonly Flag<unknown>[];

/** `commands`: name and meaning of each. */
export function helpText(version: string, commands: readonly HelpRow[] = []): string {
  return [
    `warmturn ${version}: an LLM server whose next turn is already prefilled when it arrives.`,
    "",
    "Usage: warmturn -m model.gguf [flags]",
    "       warmturn COMMAND [--help]",
    "",
    ...(commands.length === 0 ? [] : ["Commands:", ...aligned(commands), "", "Flags:"]),
    ...aligned([...flagRows(FLAGS), { left: "-h, --help", right: "this text" }, VERSION]),
    "",
    "Every flag can be set in the environment: --state-ram is WARMTURN_STATE_RAM;",
    "llama-server's own variables (LLAMA_ARG_…) are read as well.",
  ].join("\n");
}

/** One line of a help text. */
export interface HelpRow {
  readonly left: string;
  readonly right: string;
}

const VERSION: HelpRow = { left: "--version", right: "the version" };

/** Of any table of flags. */
export function flagRows(table: object): readonly HelpRow[] {
  const flags = Object.values(table) as unknown as readonly Flag<unknown>[];
  return flags.map((flag) => ({ left: spelling(flag), right: meaning(flag) }));
}

/** Indented, the meanings below each other. */
export function aligned(rows: readonly HelpRow[]): readonly string[] {
  const width = Math.max(...rows.map(({ left }) => left.length));
  return rows.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`);
}

export function flagTable(): string {
  const rows = TABLE.map((flag) => {
    const names = [...flag.names, ...flag.negative].map((name) => `\`${name}\``).join(" ");
    const env = [envName(flag), ...flag.env.filter((name) => name !== envName(flag))]
      .map((name) => `\`${name}\``)
      .join(" ");
    return `| ${names} | ${flag.takes.replaceAll("|", "\\|")} | ${flag.defaultText} | ${flag.help} | ${env} |`;
  });
  return ["| flag | takes | default | meaning | environment |", "|---|---|---|---|---|", ...rows].join("\n");
}

function spelling(flag: Flag<unknown>): string {
  const names = [...flag.names].sort((a, b) => a.length - b.length).concat(flag.negative);
  return `${names.join(", ")}${flag.takes === "" ? "" : ` ${flag.takes}`}`;
}

function meaning(flag: Flag<unknown>): string {
  return flag.defaultText === "" ? flag.help : `${flag.help} (${flag.defaultText})`;
}
