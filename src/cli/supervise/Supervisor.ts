/**
 * Keeps a server running: a crash costs one restart, and what happened is said in one sentence. Requests go straight
 * to the server, which holds the port itself; only while it is away does the supervisor hold it, and answers 503. A
 * server that was never ready is not started again (its own sentence says what is wrong), nor is one that crashes
 * again and again.
 */

import { crashClause, type ProcessEnd } from "./crashSentence.ts";
import { CRASHES_MAX, CrashRun } from "./restartDelay.ts";

export interface ServerEnd extends ProcessEnd {
  /** What it said last, oldest first. */
  readonly last: readonly string[];
  readonly fault: string | null;
}

export interface RunningServer {
  /** To be asked to end. */
  stop(signal: NodeJS.Signals): void;
  /** To be ended. */
  kill(): void;
  readonly ended: Promise<ServerEnd>;
}

export interface ServerWatch {
  onListening(port: number): void;
  onReady(): void;
}

export interface HeldPort {
  release(): void;
}

/** What the supervisor needs of the world: processes, the port, time and the log. */
export interface Surroundings {
  /** `port` is that of the server before this one; null at first. */
  start(port: number | null, watch: ServerWatch): RunningServer;
  /** Listens on the port and answers 503, until it is released. Never throws: a port that is taken is not held. */
  hold(port: number): HeldPort;
  sleep(ms: number): Promise<void>;
  now(): number;
  readonly log: { error(fields: object, message: string): void; warn(fields: object, message: string): void };
}

export interface SupervisorOptions {
  /** After a stop signal, until the server is killed. */
  readonly stopMsMax: number;
}

/** 128 and the signal's number, as a shell says it. */
const SIGNAL_CODES: Readonly<Record<string, number>> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGKILL: 137,
  SIGTERM: 143,
};

export class Supervisor {
  readonly #world: Surroundings;
  readonly #options: SupervisorOptions;
  readonly #stopped = Promise.withResolvers<NodeJS.Signals>();
  #isStopping = false;
  #server: RunningServer | null = null;
  #held: HeldPort | null = null;

  constructor(world: Surroundings, options: SupervisorOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** A stop signal has come, for the first time or again. */
  stop(signal: NodeJS.Signals): void {
    const server = this.#server;
    server?.stop(signal);
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#stopped.resolve(signal);
    if (server !== null) void this.#world.sleep(this.#options.stopMsMax).then(() => server.kill());
  }

  /** Gives the exit code. */
  async run(): Promise<number> {
    try {
      return await this.#run();
    } finally {
      this.#release();
    }
  }

  async #run(): Promise<number> {
    const { log } = this.#world;
    const crashes = new CrashRun();
    let port: number | null = null;
    let wasReady = false;
    for (;;) {
      const { end, readyMs, at } = await this.#serve(port);
      port = at;
      wasReady ||= readyMs !== null;
      if (this.#isStopping || (end.signal === null && end.code === 0)) return exitCode(end);
      if (isStopSignal(end)) return exitCode(end);
      const told = { signal: end.signal, code: end.code, fault: end.fault, last: end.last };
      if (!wasReady) {
        // One that ended by an exit code has said why.
        if (end.signal !== null) log.error(told, `${crashClause(end)}. It was never ready.`);
        return end.signal === null ? exitCode(end) : 1;
      }
      const delayMs = crashes.crashed(readyMs ?? 0);
      if (delayMs === null || port === null) {
        log.error(
          told,
          `${crashClause(end)}. It crashed ${CRASHES_MAX} times in a row and is not started again.`,
        );
        return 1;
      }
      const when = delayMs === 0 ? "now" : `in ${delayMs / 1000} s`;
      log.error(told, `${crashClause(end)}. It is started again ${when}.`);
      const signal = await this.#wait(port, delayMs);
      if (signal !== null) return SIGNAL_CODES[signal] ?? 1;
    }
  }

  /** Holds the port; the server that comes back takes it over. Gives the stop signal that came meanwhile. */
  async #wait(port: number, ms: number): Promise<NodeJS.Signals | null> {
    this.#server = null;
    this.#held ??= this.#world.hold(port);
    return await Promise.race([this.#stopped.promise, this.#world.sleep(ms).then(() => null)]);
  }

  #release(): void {
    this.#held?.release();
    this.#held = null;
  }

  async #serve(
    port: number | null,
  ): Promise<{ readonly end: ServerEnd; readonly readyMs: number | null; readonly at: number | null }> {
    let at = port;
    let readyAt: number | null = null;
    const server = this.#world.start(port, {
      onListening: (now) => {
        at = now;
        this.#release();
      },
      onReady: () => {
        readyAt = this.#world.now();
      },
    });
    this.#server = server;
    const end = await server.ended;
    return { end, readyMs: readyAt === null ? null : this.#world.now() - readyAt, at };
  }
}

function exitCode({ code, signal }: ProcessEnd): number {
  return code ?? SIGNAL_CODES[signal ?? ""] ?? 1;
}

/** Its own exit code after a second stop signal, or one that was sent to it alone before it listened for it. */
function isStopSignal({ code, signal }: ProcessEnd): boolean {
  return (
    code === 130 ||
    code === 143 ||
    code === 129 ||
    signal === "SIGTERM" ||
    signal === "SIGINT" ||
    signal === "SIGHUP"
  );
}
