/**
 * The listening server. It is bound before the model is loaded, so that a client gets a 503 meanwhile and can wait.
 * To stop, it lets running replies finish for a while, and then ends them.
 */

import type { Config } from "../config/Config.ts";
import type { ServerPhase } from "../protocol/health/ServerPhase.ts";
import type { ServiceDeps } from "../protocol/shared/ServiceDeps.ts";
import type { EngineReady } from "../run/EngineReady.ts";
import { appOf } from "./appOf.ts";
import type { LoadWatch } from "./LoadWatch.ts";
import { listen } from "./listen.ts";
import { loadModel } from "./loadModel.ts";
import { readWarmPrompts, warmPrompts } from "./warmPrompts.ts";

export interface Server {
  readonly url: string;
  /** What the engine said when the model was loaded. */
  readonly ready: EngineReady;
  /** Resolves when everything is closed. Further calls wait for the first. */
  stop(): Promise<void>;
}

/** While stopping: how often to look whether the running replies have finished. */
const STOP_POLL_MS = 20;
/** Time for the last bytes of a reply to be sent. */
const FLUSH_MS_MAX = 500;

export interface ServerWatch extends LoadWatch {
  /** The port is open; the model is not loaded yet. */
  readonly onListening?: (port: number) => void;
  /** The port of the server that this one comes back for, which is held open meanwhile; else the config's. */
  readonly sharedPort?: number | null;
}

/** `load` makes what answers. Throws StartError in one sentence. */
export async function startServer(config: Config, watch: ServerWatch, load = loadModel): Promise<Server> {
  let phase: ServerPhase = { phase: "loading" };
  const prompts = readWarmPrompts(config.flags.warmPrompts);
  const app = appOf(config, watch.log, () => phase);
  const { sharedPort = null } = watch;
  const port = sharedPort ?? config.flags.port;
  const listener = listen({ host: config.host, port, isShared: sharedPort !== null }, app);
  const url = urlOf(config, listener.port);
  watch.onListening?.(listener.port ?? port);
  watch.log.debug({ url }, "listening");
  let chat: ServiceDeps;
  try {
    chat = await load(config, watch);
    phase = { phase: "ready", chat };
    void warmPrompts(app, prompts, { apiKeys: config.apiKeys, log: watch.log });
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

function urlOf(config: Config, port: number | undefined): string {
  const { host } = config;
  const name = host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port ?? config.flags.port}`;
}
