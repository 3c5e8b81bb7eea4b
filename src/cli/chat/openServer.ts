/** The server that a chat talks to: one that runs already, or one of its own, in this process on a free port. */

import { createLog, stderrWriter } from "../../base/log.ts";
import { apiKeys } from "../../config/apiKeys.ts";
import { configOf } from "../../config/Config.ts";
import { ConfigError } from "../../config/ConfigError.ts";
import type { Env, Flags } from "../../config/parseFlags.ts";
import { startServer } from "../../start/startServer.ts";
import { type Look, lookOf } from "../Look.ts";
import { locateModel } from "../locateModel.ts";
import { stderrOutput } from "../progressOutput.ts";
import { loadingBar } from "../startup.ts";
import type { ChatServer } from "./ChatClient.ts";

/** 128 and the signal's number, as a shell says it. */
const SIGINT_CODE = 130;

export interface OpenedServer extends ChatServer {
  stop(): Promise<void>;
}

/** Throws ConfigError. */
export function runningServer(url: string, flags: Flags): OpenedServer {
  const [key] = apiKeys(flags.apiKeys, flags.apiKeyFile);
  return { base: baseUrl(url), apiKey: key?.key ?? null, stop: async () => {} };
}

/** `127.0.0.1:8080`, `http://host/v1/` and what lies between. Throws ConfigError. */
export function baseUrl(url: string): string {
  const whole = /^[a-z]+:\/\//i.test(url) ? url : `http://${url}`;
  if (!/^https?:$/.test(URL.parse(whole)?.protocol ?? "")) {
    throw new ConfigError(`--url is "${url}"; allowed is an address such as http://127.0.0.1:8080.`);
  }
  return whole.replace(/\/+$/, "").replace(/\/v1$/, "");
}

/** A bar is drawn by `write` where lines can be written over. Throws ConfigError, StartError, CommandError. */
export async function ownServer(
  flags: Flags,
  env: Env,
  look: Look,
  write: (text: string) => void,
): Promise<OpenedServer> {
  const asked = configOf({ ...flags, host: "127.0.0.1", port: 0 }, env);
  const config = await locateModel(asked, env, stderrOutput(env));
  // Who leaves meanwhile leaves no bar; listened for before there is one.
  const onSignal = (): void => {
    bar.end();
    process.exit(SIGINT_CODE);
  };
  process.on("SIGINT", onSignal);
  const bar = loadingBar(config, look, write);
  const { logLevel, logFormat } = flags;
  const log = createLog({
    // One line for each request would stand between the replies.
    level: logLevel === "info" ? "warn" : logLevel,
    format: logFormat === "json" ? "json" : "pretty",
    look: look.moves ? look : lookOf(process.stderr, env),
    write: look.moves ? bar.above : stderrWriter(),
  });
  try {
    const onCrash = (message: string): void => log.error(message);
    const server = await startServer(config, { log, progress: bar.progress, onCrash });
    return { base: server.url, apiKey: config.apiKeys[0]?.key ?? null, stop: () => server.stop() };
  } finally {
    process.off("SIGINT", onSignal);
    bar.end();
  }
}
