/** The table of commands: what is typed behind `warmturn`. Each is loaded when it is asked for, and no other. */

import { wrap } from "../base/wrap.ts";
import { ConfigError } from "../config/ConfigError.ts";
import { grouped, type HelpGroup, type HelpRow, helpText } from "../config/help.ts";
import { nearest } from "../config/nearest.ts";
import type { Env } from "../config/parseFlags.ts";
import { lookOf } from "./Look.ts";

interface Command {
  readonly name: string;
  /** Operands and flags in the usage line. */
  readonly takes: string;
  /** One line. */
  readonly help: string;
  readonly load: () => Promise<CommandModule>;
}

/** What each file of a command exports. */
export interface CommandModule {
  /** Its own flags, for `warmturn NAME --help`. */
  readonly helpGroups: readonly HelpGroup[];
  /** `argv` is what stands behind the name. Gives the exit code; throws ConfigError, StartError or CommandError. */
  readonly run: (argv: readonly string[], env: Env) => Promise<number>;
}

const SERVE: Command = {
  name: "serve",
  takes: "-m model.gguf [flags]",
  help: "serve a model; what is done without a command",
  load: () => import("./serve.ts"),
};

const COMMANDS: readonly Command[] = [
  SERVE,
  {
    name: "chat",
    takes: "[-m MODEL | --url URL] [flags]",
    help: "chat in the terminal, with a server that runs or one of its own",
    load: () => import("./chat.ts"),
  },
  {
    name: "pull",
    takes: "hf:OWNER/REPO[:QUANT]",
    help: "fetch a model into the cache folder",
    load: () => import("./pull.ts"),
  },
  {
    name: "models",
    takes: "[--json] | models rm NAME",
    help: "list the models in the cache folder, or remove one",
    load: () => import("./models.ts"),
  },
  {
    name: "doctor",
    takes: "[MODEL] [--json] [flags of the server]",
    help: "tell what the server finds and decides here, and test that kept states are exact",
    load: () => import("./doctor.ts"),
  },
  {
    name: "health",
    takes: "[--host HOST] [--port N]",
    help: "ask a server whether its model is loaded: exit code 0, 1 (loading, closing) or 2 (no answer)",
    load: () => import("./health.ts"),
  },
  {
    name: "version",
    takes: "",
    help: "versions of this program and of what is inside",
    load: () => import("./version.ts"),
  },
];

/** Runs what the command line asks for and gives the exit code. */
export async function runCommandLine(argv: readonly string[], env: Env, version: string): Promise<number> {
  const { command, rest } = chooseCommand(argv);
  const { columns } = lookOf(process.stdout, env);
  if (rest.includes("--version")) console.log(version);
  else if (!rest.includes("--help") && !rest.includes("-h"))
    return await (await command.load()).run(rest, env);
  else if (command === SERVE) console.log(helpText(version, commandRows(), columns));
  else console.log(commandHelp(command, (await command.load()).helpGroups, columns));
  return 0;
}

function chooseCommand(argv: readonly string[]): {
  readonly command: Command;
  readonly rest: readonly string[];
} {
  const [name, ...rest] = argv;
  if (name === undefined || name.startsWith("-")) return { command: SERVE, rest: argv };
  const command = COMMANDS.find((one) => one.name === name);
  if (command !== undefined) return { command, rest };
  const names = COMMANDS.map((one) => one.name);
  const near = /\.gguf$|^hf:/i.test(name) ? `-m ${name}` : nearest(name, names);
  const hint =
    near === undefined ? `Commands are ${names.join(", ")}; --help lists all.` : `Did you mean ${near}?`;
  throw new ConfigError(`There is no command ${name}. ${hint}`);
}

function commandRows(): readonly HelpRow[] {
  return COMMANDS.map((command) => ({ left: command.name, right: command.help }));
}

function commandHelp(command: Command, groups: readonly HelpGroup[], columns: number): string {
  const usage = `Usage: warmturn ${command.name} ${command.takes}`.trimEnd();
  const help: HelpGroup = { title: "This program", rows: [{ left: "-h, --help", right: "this text" }] };
  return [usage, "", ...wrap(`${command.help}.`, columns), ...grouped([...groups, help], columns)].join("\n");
}
