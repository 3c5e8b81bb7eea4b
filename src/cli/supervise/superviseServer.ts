/** The supervisor of this machine: the server as a process of the same executable, and this process's signals. */
import { createLog, type Log, stderrWriter } from "../../base/log.ts";
import { isCompiled } from "../../base/workerUrl.ts";
import type { Config } from "../../config/Config.ts";
import type { Env } from "../../config/parseFlags.ts";
import type { App } from "../../start/createApp.ts";
import { listen } from "../../start/listen.ts";
import { lookOf } from "../Look.ts";
import { onStopSignals } from "../stopSignals.ts";
import { StderrLines } from "./StderrLines.ts";
import {
  type HeldPort,
  type RunningServer,
  type ServerEnd,
  type ServerWatch,
  Supervisor,
} from "./Supervisor.ts";
import { type ServerNotice, type StopNotice, SUPERVISOR_VARIABLE } from "./SupervisorLink.ts";

/** What a server may take behind its `--drain-seconds` to write what it keeps. */
const CLOSE_MS_MAX = 30_000;
/** Another process may hold on to the stderr of one that has ended: a debugger, for one. */
const READ_MS_MAX = 500;

/** Serves until a stop signal; gives the exit code. `argv` is what stands behind the command. */
export async function superviseServer(argv: readonly string[], config: Config, env: Env): Promise<number> {
  const { logLevel, logFormat } = config.flags;
  const log = createLog({ level: logLevel, format: logFormat, look: lookOf(process.stdout, env) });
  const supervisor = new Supervisor(
    {
      start: (port, watch) => startProcess(["serve", ...argv], port, watch),
      hold: (port) => holdPort(config, port, log),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      now: () => performance.now(),
      log,
    },
    { stopMsMax: config.limits.closeMsMax + CLOSE_MS_MAX },
  );
  onStopSignals((signal) => supervisor.stop(signal));
  return await supervisor.run();
}

function startProcess(argv: readonly string[], port: number | null, watch: ServerWatch): RunningServer {
  const command = isCompiled ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main];
  const child = Bun.spawn([...command, ...argv], {
    argv0: process.argv0,
    env: { ...process.env, [SUPERVISOR_VARIABLE]: `${process.pid}:${port ?? 0}` },
    stdio: ["ignore", "inherit", "pipe"],
    ipc: (notice: ServerNotice) => {
      if (notice.type === "listening") watch.onListening(notice.port);
      if (notice.type === "ready") watch.onReady();
    },
  });
  const lines = new StderrLines(stderrWriter());
  const read = (async () => {
    for await (const bytes of child.stderr) lines.push(bytes);
    lines.end();
  })();
  return {
    stop: (signal) => {
      // The channel may have closed a moment ago.
      if (child.exitCode === null && child.signalCode === null)
        child.send({ type: "stop", signal } satisfies StopNotice);
    },
    kill: () => child.kill("SIGKILL"),
    ended: child.exited.then(async () => {
      await Promise.race([read, Bun.sleep(READ_MS_MAX)]);
      return endOf(child, lines);
    }),
  };
}

function endOf(child: Bun.Subprocess, lines: StderrLines): ServerEnd {
  return {
    code: child.exitCode,
    signal: child.signalCode === null ? null : String(child.signalCode),
    last: lines.last,
    fault: lines.fault,
  };
}

/** The port first, within a millisecond; what answers is loaded by the first request, so that a supervisor stays small. */
function holdPort(config: Config, port: number, log: Log): HeldPort {
  let app: Promise<App> | undefined;
  const load = async (): Promise<App> => {
    const { appOf } = await import("../../start/appOf.ts");
    return appOf(config, log, () => ({ phase: "restarting" }));
  };
  const answer = async (request: Request): Promise<Response> => {
    app ??= load();
    return await (await app).fetch(request);
  };
  try {
    const listener = listen({ host: config.host, port, isShared: true }, { fetch: answer });
    return { release: () => void listener.stop() };
  } catch (error) {
    log.warn({ err: error }, "The port cannot be held while the server is away");
    return { release: () => {} };
  }
}
