/**
 * A process with all that it starts: on Linux in a network of its own, where only loopback is, and among processes
 * of its own, which end with it; elsewhere in a group of processes that is killed whole.
 */
import { spawn } from "node:child_process";

export interface Ended {
  /** Null where it was killed for its time. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const NAMESPACES = ["--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
const LOOPBACK_UP = 'ip link set lo up && exec "$@"';

/** Whether this machine lets a user make a network without a way out. */
export function canIsolate(): boolean {
  if (process.platform !== "linux" || Bun.which("unshare") === null || Bun.which("ip") === null) return false;
  return Bun.spawnSync(["unshare", ...NAMESPACES, "sh", "-c", LOOPBACK_UP, "sh", "true"]).exitCode === 0;
}

export async function runSandboxed(
  command: readonly string[],
  isolated: boolean,
  msMax: number,
): Promise<Ended> {
  const [program = "", ...args] = isolated
    ? ["unshare", ...NAMESPACES, "sh", "-c", LOOPBACK_UP, "sh", ...command]
    : command;
  // A group of its own, so that one signal reaches all of it.
  const child = spawn(program, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = Promise.withResolvers<number | null>();
  const stop = (): void => {
    killGroup(child.pid);
    process.exit(130);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  child.on("close", (code) => ended.resolve(code));
  child.on("error", (error) => {
    stderr += error.message;
    ended.resolve(-1);
  });
  const timer = setTimeout(() => {
    killGroup(child.pid);
    ended.resolve(null);
  }, msMax);
  const code = await ended.promise;
  clearTimeout(timer);
  process.off("SIGINT", stop).off("SIGTERM", stop);
  killGroup(child.pid);
  return { code, stdout, stderr };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}
