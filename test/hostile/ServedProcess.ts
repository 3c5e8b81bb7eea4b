/** The server as a process of its own, in which nothing but the campaign runs; its answers, its memory, its processor time. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HttpTarget } from "../support/httpClient.ts";

const ROOT = join(import.meta.dir, "..", "..");

export interface ServedProcess extends HttpTarget {
  readonly pid: number;
  /** Of the whole process. */
  readonly residentBytes: () => number;
  /** Null while it runs. */
  readonly exitCode: () => number | string | null;
  /** What it logged at level error, and what it wrote to stderr. */
  readonly complaints: () => readonly string[];
}

/** Without a supervisor: a crash is to be seen. */
export async function serveProcess(flags: readonly string[]): Promise<ServedProcess> {
  const home = await mkdtemp(join(tmpdir(), "warmturn-hostile-"));
  const always = ["--port", "0", "--no-supervise", "--log-format", "json", "--log-level", "info"];
  const child = Bun.spawn([process.execPath, join(ROOT, "src", "main.ts"), ...always, ...flags], {
    env: { ...process.env, WARMTURN_HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // Whoever breaks the campaign off leaves no server behind.
  process.on("exit", () => child.kill("SIGKILL"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
  const complaints: string[] = [];
  const url = Promise.withResolvers<string>();
  const lines = async (stream: ReadableStream<Uint8Array>, see: (line: string) => void): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const part of stream) {
      const all = (rest + decoder.decode(part, { stream: true })).split("\n");
      rest = all.pop() ?? "";
      for (const line of all) see(line);
    }
  };
  void lines(child.stdout, (line) => {
    const { msg, url: at, level } = JSON.parse(line) as { msg: string; url?: string; level: number };
    if (msg === "ready" && at !== undefined) url.resolve(at);
    if (level >= 50) complaints.push(line);
  });
  void lines(child.stderr, (line) => complaints.push(line));
  void child.exited.then((code) =>
    url.reject(new Error(`the server ended with ${code}: ${complaints.join("\n")}`)),
  );
  return {
    name: "process",
    url: await url.promise,
    pid: child.pid,
    fetch: (request) => fetch(request),
    residentBytes: () =>
      1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]),
    exitCode: () => child.signalCode ?? child.exitCode,
    complaints: () => complaints,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      await rm(home, { recursive: true, force: true });
    },
  };
}
