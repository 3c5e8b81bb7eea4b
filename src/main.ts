#!/usr/bin/env bun
/** The entry point: runs the command that was typed. A failure is one sentence on stderr and exit code 1. */
import { writeSync } from "node:fs";
import { version } from "../package.json";
import { StartError } from "./base/StartError.ts";
import { CommandError } from "./cli/CommandError.ts";
import { runCommandLine } from "./cli/commands.ts";
import { ConfigError } from "./config/ConfigError.ts";

async function main(argv: readonly string[]): Promise<number> {
  try {
    return await runCommandLine(argv, process.env, version);
  } catch (error) {
    const known =
      error instanceof ConfigError || error instanceof StartError || error instanceof CommandError;
    if (!known && process.env["WARMTURN_LOG_LEVEL"] === "debug") throw error;
    // Not console.error, which is red on a terminal, also on one that has no colours.
    writeSync(2, `warmturn: ${known ? error.message : unexpected(error)}\n`);
    return 1;
  }
}

function unexpected(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return `${said.split("\n", 1)[0]} (unexpected; set WARMTURN_LOG_LEVEL=debug to see the stack)`;
}

process.exit(await main(process.argv.slice(2)));
