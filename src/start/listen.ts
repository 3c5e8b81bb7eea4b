/**
 * The one way to open the port. A server's own listener shares it with nobody, so that a second server on the same
 * port is refused; after a crash the supervisor and the server that comes back share it for the moment in which one
 * takes over from the other, so that no connection is refused in between.
 */
import { StartError } from "../base/StartError.ts";
import type { App } from "./createApp.ts";

export interface Place {
  readonly host: string;
  readonly port: number;
  /** Others of this server's processes may listen there as well. */
  readonly isShared: boolean;
}

/** Throws StartError. */
export function listen({ host, port, isShared }: Place, app: App): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      // A prefill may be silent for minutes; bodies are counted as they are read.
      idleTimeout: 0,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      // In development Bun answers a malformed request with a page that shows our source.
      development: false,
      // Said explicitly: outside of development Bun lets a second server listen on the same port.
      reusePort: isShared,
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
