/**
 * What a starting server says: on a terminal a bar while the model loads and then one screen, elsewhere lines of
 * the log, whose words and fields stay as they are for whoever reads them.
 */
import { version } from "../../package.json";
import { createLog, type Log, stdoutWriter } from "../base/log.ts";
import { replyLine } from "../base/replyLine.ts";
import type { Config } from "../config/Config.ts";
import type { Env } from "../config/parseFlags.ts";
import { program } from "../config/program.ts";
import { LoadProgress } from "../engine/LoadProgress.ts";
import { factsSentence } from "../engine/open/factsOf.ts";
import type { Server } from "../start/startServer.ts";
import { type Look, lookOf, type OutputStream } from "./Look.ts";
import { progressLine } from "./progressLine.ts";
import { StatusLine } from "./StatusLine.ts";
import { startScreen } from "./startScreen.ts";

export interface Startup {
  readonly log: Log;
  readonly progress: LoadProgress;
  /** The model is loaded. */
  ready(server: Pick<Server, "url" | "ready">): void;
  /** Loading has ended, either way. */
  end(): void;
}

/** How often the bar is drawn. */
const DRAW_MS = 100;

export function startup(config: Config, env: Env, stream: OutputStream = process.stdout): Startup {
  const { logLevel, logFormat } = config.flags;
  const wantsScreen = logFormat !== "json" && (logLevel === "info" || logLevel === "debug");
  if (stream.isTTY === true && wantsScreen) return onTerminal(config, lookOf(stream, env));
  const log = createLog({
    level: logLevel,
    format: logFormat,
    look: lookOf(stream, env),
    sentences: { reply: replyLine },
  });
  const started = performance.now();
  log.info({ version, model: config.modelPath }, "loading");
  return {
    log,
    progress: new LoadProgress(config.modelPath),
    ready: ({ url, ready }) => {
      log.info(factsSentence(ready));
      log.info({ url, model: config.modelName, ms: Math.round(performance.now() - started) }, "ready");
    },
    end: () => {},
  };
}

function onTerminal(config: Config, look: Look): Startup {
  const write = stdoutWriter();
  const bar = loadingBar(config, look, write);
  const log = createLog({
    level: config.flags.logLevel,
    format: "pretty",
    look,
    sentences: { reply: replyLine },
    write: bar.above,
  });
  return {
    log,
    progress: bar.progress,
    ready: ({ url, ready }) => {
      bar.end();
      const facts = {
        version,
        url,
        modelName: config.modelName,
        ready,
        warm: config.flags.warm === "on",
        needsKey: config.apiKeys.length > 0,
        loadMs: bar.elapsedMs(),
        command: program,
      };
      write(startScreen(facts, look));
    },
    end: bar.end,
  };
}

export interface LoadingBar {
  readonly progress: LoadProgress;
  /** Writes whole lines above the bar. */
  readonly above: (text: string) => void;
  readonly elapsedMs: () => number;
  /** Takes the bar away; more than once is as good as once. */
  readonly end: () => void;
}

/** A bar that draws itself; none where lines cannot be written over. */
export function loadingBar(config: Config, look: Look, write: (text: string) => void): LoadingBar {
  const progress = new LoadProgress(config.modelPath);
  const status = new StatusLine(write);
  const started = performance.now();
  const elapsedMs = (): number => performance.now() - started;
  const draw = (): void => {
    const { share } = progress;
    // After the load: measuring memory, making the context and, at the first start, the self-test.
    const what = `${share < 1 ? "loading" : "preparing"} ${config.modelName}`;
    status.show(progressLine({ what, share, elapsedMs: elapsedMs() }, look));
  };
  if (look.moves) draw();
  const timer = look.moves ? setInterval(draw, DRAW_MS) : undefined;
  return {
    progress,
    above: (text) => status.above(text),
    elapsedMs,
    end: () => {
      clearInterval(timer);
      status.show("");
    },
  };
}
