/**
 * A supervised server's side of its supervisor: the port to come back to, what is told, and the end of a supervisor
 * that was killed. They find each other by the supervisor's process id, so that a variable that was inherited by
 * chance, or a channel of some other process manager, is none.
 */
import type { Env } from "../../config/parseFlags.ts";

/** `PID:PORT`; port 0 is the config's own. Written by the supervisor, and by nobody else. */
export const SUPERVISOR_VARIABLE = "_WARMTURN_SUPERVISOR";

/** Server → supervisor. */
export type ServerNotice = { readonly type: "listening"; readonly port: number } | { readonly type: "ready" };

/** Supervisor → server: a stop signal that reached the supervisor, and perhaps the server as well. */
export interface StopNotice {
  readonly type: "stop";
  readonly signal: NodeJS.Signals;
}

export interface SupervisorLink {
  /** The port that is held open until this server listens there; null for the config's. */
  readonly sharedPort: number | null;
  tell(notice: ServerNotice): void;
  onStop(stop: (signal: NodeJS.Signals) => void): void;
  /** The supervisor is gone without a word. */
  onGone(gone: () => void): void;
}

/** Null in a process that no supervisor has started. */
export function supervisorLink(env: Env): SupervisorLink | null {
  const [, pid, port] = /^(\d+):(\d+)$/.exec(env[SUPERVISOR_VARIABLE] ?? "") ?? [];
  if (Number(pid) !== process.ppid || process.send === undefined) return null;
  return {
    sharedPort: Number(port) > 0 ? Number(port) : null,
    tell: (notice) => {
      if (process.connected) process.send?.(notice);
    },
    onStop: (stop) => {
      process.on("message", (message: unknown) => {
        if (isStopNotice(message)) stop(message.signal);
      });
    },
    onGone: (gone) => {
      process.on("disconnect", gone);
    },
  };
}

function isStopNotice(message: unknown): message is StopNotice {
  return typeof message === "object" && message !== null && "type" in message && message.type === "stop";
}
