#!/usr/bin/env bun
/** The command. What cannot be done is one sentence on stderr and exit code 1. */
import { version } from "../package.json";
import { CommandError } from "./cli/CommandError.ts";
import { runCommandLine } from "./cli/commands.ts";
import { ConfigError } from "./config/parseFlags.ts";
import { StartError } from "./StartError.ts";

async function main(argv: readonly string[]): Promise<number> {
  try {
    return await runCommandLine(argv, process.env, version);
  } catch (error) {
    const known =
      error instanceof ConfigError || error instanceof StartError || error instanceof CommandError;
    if (!known) throw error;
    console.error(`warmturn: ${error.message}`);
    return 1;
  }
}

process.exit(await main(process.argv.slice(2)));
