/** A server of this project as a child process on a free port; ends it by its own pid, whatever happens. */
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const START_MS_MAX = 300_000;
const IDLE_MS_MAX = 120_000;
const STOP_MS_MAX = 10_000;

export interface ServerStart {
  /** Flags beside `--host` and `--port`. */
  readonly flags: readonly string[];
  /** The executable; the sources where it is absent. */
  readonly binary?: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
}

export class ServerProcess implements AsyncDisposable {
  readonly url: string;
  readonly #child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  readonly #log: string[];

  private constructor(child: Bun.Subprocess<"ignore", "pipe", "pipe">, url: string, log: string[]) {
    this.#child = child;
    this.url = url;
    this.#log = log;
  }

  /** Resolves when `/health` says ok; rejects with the log's end where the process ends before. */
  static async start({ flags, binary, env, cwd }: ServerStart): Promise<ServerProcess> {
    const command = binary === undefined ? [process.execPath, join(ROOT, "src/main.ts")] : [binary];
    const child = Bun.spawn([...command, "--host", "127.0.0.1", "--port", "0", ...flags], {
      cwd: cwd ?? ROOT,
      // The process that is measured is the one that serves.
      env: { ...process.env, WARMTURN_SUPERVISE: "off", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const log: string[] = [];
    const address = Promise.withResolvers<string>();
    const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
      const decoder = new TextDecoder();
      for await (const part of stream) {
        log.push(decoder.decode(part, { stream: true }));
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(log.join(""))?.[0];
        if (url !== undefined) address.resolve(url);
      }
    };
    void read(child.stdout);
    void read(child.stderr);
    void child.exited.then((code) =>
      address.reject(new Error(`the server ended with ${code} before it listened:\n${log.join("")}`)),
    );
    // A log level that hides the address, for one.
    const late = setTimeout(
      () => address.reject(new Error(`the server said no address in ${START_MS_MAX} ms:\n${log.join("")}`)),
      START_MS_MAX,
    );
    try {
      const server = new ServerProcess(child, await address.promise, log);
      await server.#until(START_MS_MAX, "the model did not load", (health) => health["status"] === "ok");
      return server;
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  get log(): string {
    return this.#log.join("");
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Resolves when nothing is being warmed. */
  async warmIdle(): Promise<void> {
    await this.#until(IDLE_MS_MAX, "warm work did not end", (health) => health["warm"] === "idle");
  }

  async #until(
    msMax: number,
    why: string,
    done: (health: Record<string, unknown>) => boolean,
  ): Promise<void> {
    const end = performance.now() + msMax;
    while (performance.now() < end) {
      if (this.#child.exitCode !== null) break;
      const health = await readHealth(this.url);
      if (done(health)) return;
      await Bun.sleep(2);
    }
    throw new Error(`${why} (exit code ${this.#child.exitCode}):\n${this.log.slice(-4000)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill("SIGTERM");
    const late = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS_MAX);
    await this.#child.exited;
    clearTimeout(late);
  }
}

async function readHealth(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/health`);
  const body: unknown = await response.json();
  return typeof body === "object" && body !== null ? { ...body } : {};
}
