/** The application of a config: one way for the server and for who stands in for it. */
import type { Log } from "../base/log.ts";
import type { Config } from "../config/Config.ts";
import type { ServerPhase } from "../protocol/health/ServerPhase.ts";
import { type App, createApp } from "./createApp.ts";

export function appOf(config: Config, log: Log, state: () => ServerPhase): App {
  return createApp({
    state,
    apiKeys: config.apiKeys,
    host: config.host,
    allowedHosts: config.flags.allowedHosts,
    corsOrigins: config.flags.corsOrigins,
    limits: config.limits,
    newId: () => crypto.randomUUID(),
    log,
  });
}
