#!/usr/bin/env bun
/**
 * The command: reads flags, serves until it is told to stop. What cannot start is one sentence on stderr and
 * exit code 1.
 */
import { version } from "../package.json";
import { helpText } from "./config/help.ts";
import { ConfigError } from "./config/parseFlags.ts";
import { type Config, readConfig } from "./config.ts";
import { StartError } from "./loadChat.ts";
import { createLog } from "./log.ts";
import { startServer } from "./server.ts";

async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes("--help") || argv.includes("-h")) return console.log(helpText(version));
  if (argv.includes("--version")) return console.log(version);
  try {
    await serve(readConfig(argv, process.env));
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof StartError)) throw error;
    console.error(`warmturn: ${error.message}`);
    process.exit(1);
  }
}

async function serve(config: Config): Promise<void> {
  const log = createLog({ level: config.flags.logLevel, format: config.flags.logFormat });
  log.info({ version, model: config.modelPath }, "loading");
  const started = performance.now();
  let server: Awaited<ReturnType<typeof startServer>> | undefined;
  let signalled = false;
  const end = async (code: number): Promise<void> => {
    await server?.stop();
    process.exit(code);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    // A second one, or one while the model loads, does not wait.
    if (signalled || server === undefined) process.exit(signal === "SIGINT" ? 130 : 143);
    signalled = true;
    log.info({ signal }, "stopping");
    void end(0);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  server = await startServer(config, log, (message) => {
    log.error(message);
    void end(1);
  });
  const ms = Math.round(performance.now() - started);
  log.info({ url: server.url, model: config.modelName, ms }, "ready");
}

await main(process.argv.slice(2));
