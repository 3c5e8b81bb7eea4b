/**
 * The command as a user starts it: `bun src/main.ts`, or the executable that WARMTURN_TEST_BINARY names. It
 * takes a free port and keeps what it remembers in a folder of its own.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programOf } from "../../src/config/program.ts";
import type { HttpTarget } from "./httpClient.ts";

const BINARY = process.env["WARMTURN_TEST_BINARY"];
const ROOT = join(import.meta.dir, "..", "..");

export const commandName = BINARY === undefined ? "source" : "binary";

/** What the command begins lines with that are to be typed. */
export const PROGRAM = programOf(BINARY !== undefined, BINARY ?? "", process.env);

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs to its end. */
export async function runCommand(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return await startCommand(args, env).ended;
}

export interface StartedCommand {
  /** Resolves when stderr holds this text; rejects when the command ends without it. */
  says(text: string): Promise<void>;
  end(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

export function startCommand(args: readonly string[], env: Record<string, string> = {}): StartedCommand {
  const home = mkdtempSync(join(tmpdir(), "warmturn-test-"));
  const child = spawn(args, home, env);
  let stderr = "";
  const waiting = new Set<() => void>();
  const readErrors = async (): Promise<string> => {
    const decoder = new TextDecoder();
    for await (const part of child.stderr) {
      stderr += decoder.decode(part, { stream: true });
      for (const look of waiting) look();
    }
    return stderr;
  };
  const all = Promise.all([new Response(child.stdout).text(), readErrors(), child.exited]);
  const ended = all
    .then(([stdout, , code]) => ({ code, stdout, stderr }))
    .finally(() => rmSync(home, { recursive: true, force: true }));
  return {
    ended,
    end: (signal) => child.kill(signal),
    says: async (text) => {
      const found = Promise.withResolvers<void>();
      const look = (): void => {
        if (stderr.includes(text)) found.resolve();
      };
      waiting.add(look);
      look();
      const without = ended.then(() => {
        if (!stderr.includes(text)) throw new Error(`it ended without "${text}": ${stderr}`);
      });
      await Promise.race([found.promise, without]);
    },
  };
}

export interface ServedCommand extends HttpTarget {
  /** Sends a signal and gives the exit code. */
  end(signal: NodeJS.Signals): Promise<number>;
}

/** Resolves when the server says that it is ready. */
export async function serveCommand(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ServedCommand> {
  const home = await tempFolder();
  const child = spawn([...args, "--port", "0", "--log-format", "json"], home.path, env);
  const errors = new Response(child.stderr).text();
  const url = await readyUrl(child.stdout);
  if (url === undefined) {
    child.kill("SIGKILL");
    await home[Symbol.asyncDispose]();
    throw new Error(`the server did not start: ${await errors}`);
  }
  const end = async (signal: NodeJS.Signals): Promise<number> => {
    child.kill(signal);
    return await child.exited;
  };
  return {
    name: commandName,
    url,
    fetch: (request) => fetch(request),
    end,
    async [Symbol.asyncDispose]() {
      await end("SIGKILL");
      await home[Symbol.asyncDispose]();
    },
  };
}

type Child = Bun.Subprocess<"ignore", "pipe", "pipe">;

function spawn(args: readonly string[], home: string, env: Record<string, string>): Child {
  return Bun.spawn([...START, ...args], { ...place(home, env), stdio: ["ignore", "pipe", "pipe"] });
}

const START = BINARY === undefined ? [process.execPath, join(ROOT, "src", "main.ts")] : [BINARY];

/**
 * The executable is started in an empty folder, so that it can find nothing beside it; and without a supervisor, whose
 * second process most tests have no use for.
 */
function place(home: string, env: Record<string, string>) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(WARMTURN|LLAMA|HF)_/.test(name));
  const own = { WARMTURN_HOME: join(home, "cache"), WARMTURN_SUPERVISE: "off" };
  return { cwd: home, env: { ...Object.fromEntries(inherited), ...own, ...env } };
}

export interface TerminalCommand extends AsyncDisposable {
  /** All that was written so far, with the terminal's control sequences. */
  readonly screen: string;
  readonly exited: Promise<number>;
  /** As if it were typed. Ctrl-C is a signal only by `end`: the terminal controls no session. */
  type(text: string): void;
  /** Sends a signal and gives the exit code. */
  end(signal: NodeJS.Signals): Promise<number>;
  /** Resolves when the screen is as wanted: holds a text, or fits; rejects when the command has ended before. */
  until(wanted: Wanted): Promise<void>;
}

export type Wanted = string | ((text: string) => boolean);

/** What a command writes, and the wait for it. */
class Written {
  text = "";
  readonly #decoder = new TextDecoder();
  readonly #exited: Promise<number>;
  #look = (): void => {};

  constructor(exited: Promise<number>) {
    this.#exited = exited;
  }

  add(bytes: Uint8Array): void {
    this.text += this.#decoder.decode(bytes, { stream: true });
    this.#look();
  }

  until(wanted: Wanted): Promise<void> {
    const fits = typeof wanted === "string" ? (text: string) => text.includes(wanted) : wanted;
    return new Promise((resolve, reject) => {
      this.#look = () => {
        if (fits(this.text)) resolve();
      };
      this.#look();
      void this.#exited.then((code) =>
        reject(new Error(`ended with ${code}, having written:\n${this.text}`)),
      );
    });
  }
}

export interface PipedCommand extends AsyncDisposable {
  readonly pid: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly exited: Promise<number>;
  /** Writes to stdin. */
  type(text: string): void;
  /** Ends stdin. */
  close(): void;
  /** Resolves when stderr is as wanted. */
  untilError(wanted: Wanted): Promise<void>;
  /** Resolves when stdout is as wanted. */
  until(wanted: Wanted): Promise<void>;
  /** Sends a signal and gives the exit code. */
  end(signal: NodeJS.Signals): Promise<number>;
}

/** The command with pipes, as a script runs it. */
export async function pipedCommand(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<PipedCommand> {
  const home = await tempFolder();
  const child = Bun.spawn([...START, ...args], { ...place(home.path, env), stdio: ["pipe", "pipe", "pipe"] });
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const written = new Written(child.exited);
    const read = (async () => {
      for await (const bytes of stream) written.add(bytes);
    })();
    return { written, read };
  });
  if (out === undefined || err === undefined) throw new Error("a child without pipes");
  return {
    get stdout() {
      return out.written.text;
    },
    get stderr() {
      return err.written.text;
    },
    // All that was written is there when the exit is told.
    exited: Promise.all([child.exited, out.read, err.read]).then(([code]) => code),
    type: (text) => {
      child.stdin.write(text);
      child.stdin.flush();
    },
    close: () => {
      child.stdin.end();
    },
    untilError: (wanted) => err.written.until(wanted),
    until: (wanted) => out.written.until(wanted),
    pid: child.pid,
    end: async (signal) => {
      child.kill(signal);
      return await child.exited;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      await home[Symbol.asyncDispose]();
    },
  };
}

/** The command on a pseudo-terminal, as a person runs it. */
export async function terminalCommand(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<TerminalCommand> {
  const home = await tempFolder();
  const exited = Promise.withResolvers<number>();
  const screen = new Written(exited.promise);
  const terminal = new Bun.Terminal({ cols: 80, rows: 50, data: (_, bytes) => screen.add(bytes) });
  const child = Bun.spawn([...START, ...args], {
    ...place(home.path, { TERM: "xterm-256color", NO_COLOR: "", ...env }),
    terminal,
  });
  void child.exited.then(exited.resolve);
  return {
    get screen() {
      return screen.text;
    },
    exited: child.exited,
    type: (text) => {
      terminal.write(text);
    },
    end: async (signal) => {
      child.kill(signal);
      return await child.exited;
    },
    until: (wanted) => screen.until(wanted),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      terminal.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Reads on after the line is found, so that the pipe never fills. */
async function readyUrl(stdout: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const found = Promise.withResolvers<string | undefined>();
  const read = async (): Promise<void> => {
    let rest = "";
    for await (const part of stdout.pipeThrough(new TextDecoderStream() as never) as ReadableStream<string>) {
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const entry: { msg?: string; url?: string } = JSON.parse(line);
        if (entry.msg === "ready") found.resolve(entry.url);
      }
    }
    found.resolve(undefined);
  };
  read().catch(found.reject);
  return await found.promise;
}

interface TempFolder extends AsyncDisposable {
  readonly path: string;
}

async function tempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), "warmturn-test-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
