/** `--help` and the table of docs/flags.md, out of the table of flags. */
import { wrap } from "../base/wrap.ts";
import { FLAG_GROUPS } from "./flagGroups.ts";
import { type AnyFlag, envName } from "./Setting.ts";

/** One line of a help text. */
export interface HelpRow {
  readonly left: string;
  readonly right: string;
}

/** Rows under a heading. */
export interface HelpGroup {
  readonly title: string;
  readonly rows: readonly HelpRow[];
}

const OWN: HelpGroup = {
  title: "This program",
  rows: [
    { left: "-h, --help", right: "this text" },
    { left: "--version", right: "the version" },
  ],
};

/** Of the server. */
export const SERVER_GROUPS: readonly HelpGroup[] = FLAG_GROUPS.map(({ title, flags }) => ({
  title,
  rows: flagRows(flags),
}));

/** `commands`: name and meaning of each; `columns`: of the terminal. */
export function helpText(version: string, commands: readonly HelpRow[], columns: number): string {
  const groups = [{ title: "Commands", rows: commands }, ...SERVER_GROUPS, OWN];
  return [
    ...wrap(
      `warmturn ${version}: an LLM server whose next turn is already prefilled when it arrives.`,
      columns,
    ),
    "",
    "Usage: warmturn -m model.gguf [flags]",
    "       warmturn COMMAND [--help]",
    ...grouped(groups, columns),
    "",
    ...wrap(
      "Every flag can be set in the environment (--state-ram is WARMTURN_STATE_RAM; llama-server's LLAMA_ARG_… are " +
        'read as well) and in the file of --config (state-ram = "8G"). The command line wins over the environment, ' +
        "that over the file.",
      columns,
    ),
  ].join("\n");
}

/** Of any table of flags. */
export function flagRows(table: object): readonly HelpRow[] {
  const flags = Object.values(table) as unknown as readonly AnyFlag[];
  return flags.map((flag) => ({ left: spelling(flag), right: meaning(flag) }));
}

/** A blank line and a heading before each group; meanings below each other throughout. */
export function grouped(groups: readonly HelpGroup[], columns: number): readonly string[] {
  const width = widthOf(groups.flatMap(({ rows }) => rows));
  return groups
    .filter(({ rows }) => rows.length > 0)
    .flatMap(({ title, rows }) => ["", `${title}:`, ...rows.flatMap((row) => lines(row, width, columns))]);
}

/** A longer left side has its meaning below it. */
const LEFT_MAX = 30;
/** A meaning is not squeezed into less than this. */
const RIGHT_MIN = 24;

function widthOf(rows: readonly HelpRow[]): number {
  return Math.max(0, ...rows.map(({ left }) => left.length).filter((length) => length <= LEFT_MAX));
}

function lines({ left, right }: HelpRow, width: number, columns: number): readonly string[] {
  const beside = columns - width - 4 >= RIGHT_MIN;
  const start = beside ? width + 4 : 6;
  const meaning = wrap(right, Math.max(RIGHT_MIN, columns - start));
  const [first = "", ...rest] = meaning;
  const indented = (some: readonly string[]): readonly string[] =>
    some.map((one) => `${" ".repeat(start)}${one}`);
  if (beside && left.length <= width) return [`  ${left.padEnd(width)}  ${first}`, ...indented(rest)];
  const [head = "", ...tail] = wrap(left, columns - 2);
  return [`  ${head}`, ...tail.map((one) => `    ${one}`), ...indented(meaning)];
}

/** Markdown: a table a group. */
export function flagTable(): string {
  return FLAG_GROUPS.map(({ title, flags }) =>
    [
      `### ${title}`,
      "",
      "| flag | takes | default | meaning | environment |",
      "|---|---|---|---|---|",
      ...Object.values(flags).map(tableRow),
    ].join("\n"),
  ).join("\n\n");
}

function tableRow(flag: AnyFlag): string {
  const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(" ");
  const inEnv =
    flag.notIn?.includes("environment") === true ? [] : [...new Set([envName(flag), ...flag.env])];
  const cells = [
    code([...flag.names, ...flag.negative]),
    flag.takes.replaceAll("|", "\\|"),
    flag.defaultText,
  ];
  return `| ${[...cells, flag.help, code(inEnv)].join(" | ")} |`;
}

function spelling(flag: AnyFlag): string {
  const names = [...flag.names].sort((a, b) => a.length - b.length).concat(flag.negative);
  return `${names.join(", ")}${flag.takes === "" ? "" : ` ${flag.takes}`}`;
}

function meaning(flag: AnyFlag): string {
  return flag.defaultText === "" ? flag.help : `${flag.help} (${flag.defaultText})`;
}
