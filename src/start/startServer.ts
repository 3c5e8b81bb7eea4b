/**
 * The listening server: bound before the model is loaded, so that a client meanwhile gets a 503 it can wait
 * for; stopped by letting running replies end, for a while, and then ending them.
 */

import { StartError } from "../base/StartError.ts";
import type { Config } from "../config/Config.ts";
import type { ServerPhase } from "../protocol/health/ServerPhase.ts";
import type { ServiceDeps } from "../protocol/shared/ServiceDeps.ts";
import type { EngineReady } from "../run/EngineReady.ts";
import { type App, createApp } from "./createApp.ts";
import { type LoadWatch, loadModel } from "./loadModel.ts";

export interface Server {
  readonly url: string;
  /** What the engine said when the model was loaded. */
  readonly ready: EngineReady;
  /** Resolves when everything is closed. Further calls wait for the first. */
  stop(): Promise<void>;
}

/** How often the end of the running replies is looked for while stopping. */
const STOP_POLL_MS = 20;
/** For the last bytes of a reply to leave. */
const FLUSH_MS_MAX = 500;

/** `load` makes what answers. Throws StartError in one sentence. */
export async function startServer(config: Config, watch: LoadWatch, load = loadModel): Promise<Server> {
  let phase: ServerPhase = { phase: "loading" };
  const app = createApp({
    state: () => phase,
    apiKeys: config.apiKeys,
    host: config.host,
    allowedHosts: config.flags.allowedHosts,
    corsOrigins: config.flags.corsOrigins,
    limits: config.limits,
    newId: () => crypto.randomUUID(),
    log: watch.log,
  });
  const listener = listen(config, app);
  const url = urlOf(config, listener.port);
  watch.log.debug({ url }, "listening");
  let chat: ServiceDeps;
  try {
    chat = await load(config, watch);
    phase = { phase: "ready", chat };
  } catch (error) {
    await listener.stop(true);
    throw error;
  }
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    const { turn } = chat;
    phase = { phase: "closing" };
    const deadline = performance.now() + config.limits.closeMsMax;
    while (turn.engine.pending > 0 && performance.now() < deadline) {
      await Bun.sleep(STOP_POLL_MS);
    }
    turn.warm.close();
    await turn.engine.close();
    await Promise.race([listener.stop(), Bun.sleep(FLUSH_MS_MAX)]);
    await listener.stop(true);
  };
  return {
    url,
    ready: chat.turn.engine.ready,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

function listen(config: Config, app: App): Bun.Server<undefined> {
  const { host } = config;
  const { port } = config.flags;
  try {
    return Bun.serve({
      hostname: host,
      port,
      // A prefill may be silent for minutes; bodies are counted as they are read.
      idleTimeout: 0,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      // Else Bun answers what it cannot make sense of with a page that shows our source.
      development: false,
      // Which also lets a second server listen on the same port, without a word, unless it is said:
      reusePort: false,
      fetch: (request) => app.fetch(request),
    });
  } catch (error) {
    throw new StartError(bindSentence(error, host, port));
  }
}

function bindSentence(error: unknown, host: string, port: number): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  if (code === "EADDRINUSE") {
    return `Port ${port} on ${host} is in use already; choose another with --port.`;
  }
  if (code === "EACCES") return `Port ${port} on ${host} is not allowed to this user; choose one above 1023.`;
  return `Cannot listen on ${host}:${port}; --host must be an address of this machine (${code ?? message ?? "no reason given"}).`;
}

function urlOf(config: Config, port: number | undefined): string {
  const { host } = config;
  const name = host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port ?? config.flags.port}`;
}
