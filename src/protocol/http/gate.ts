/**
 * Who is served where no key is set. A page in this machine's browser can reach a loopback address as well as its user
 * can: by a name of its own that it lets point there (DNS rebinding), or by a request that needs no preflight. So the
 * Host header must name this machine, and an Origin, where a browser sends one, must be the server's own or allowed.
 * With a key both would be idle: a page does not know it.
 */
import { AppError } from "../../base/AppError.ts";
import type { Cors } from "./cors.ts";

export interface GateOptions {
  /** What is listened on, as `--host` has it. */
  readonly host: string;
  readonly hasKeys: boolean;
  /** Of `hostNameOf`. Where any are given, they hold whatever address and key there is. */
  readonly allowedHosts: readonly string[];
  readonly cors: Pick<Cors, "allows">;
}

/** Throws AppError for who is not served. */
export type Gate = (headers: Headers) => void;

export function gateOf({ host, hasKeys, allowedHosts, cors }: GateOptions): Gate {
  const anyHost = allowedHosts.includes("*");
  const checksHost = !anyHost && (allowedHosts.length > 0 || (!hasKeys && isLoopback(host)));
  return (headers) => {
    const named = headers.get("host");
    // Every browser sends a Host header.
    if (checksHost && named !== null) checkHost(named, allowedHosts);
    if (!hasKeys) checkOrigin(headers.get("origin"), named, cors);
  };
}

function checkHost(named: string, allowedHosts: readonly string[]): void {
  const name = nameIn(named);
  if (name !== undefined && (isLoopback(name) || allowedHosts.includes(name))) return;
  throw new AppError(
    "host-refused",
    `The Host header names "${shown(named)}", which is not this machine. Ask by 127.0.0.1 or localhost, or start the ` +
      `server with --allowed-hosts ${name ?? "NAME"}.`,
  );
}

function checkOrigin(origin: string | null, host: string | null, cors: Pick<Cors, "allows">): void {
  if (origin === null || cors.allows(origin)) return;
  // The scheme is not compared: behind a proxy that ends TLS it is another one than here.
  if (host !== null && URL.parse(origin)?.host === host.toLowerCase()) return;
  throw new AppError(
    "origin-refused",
    `Pages of "${shown(origin)}" are not served here without an API key. Start the server with --cors-origins ` +
      "and this origin, or with an API key.",
  );
}

/** Without its port; undefined for what is no host. */
function nameIn(host: string): string | undefined {
  const [, name] = /^(\[[\da-f:.]+\]|[^\s:[\]@/?#]+)(?::\d*)?$/i.exec(host) ?? [];
  return name === undefined ? undefined : hostNameOf(name);
}

/** A name or an address as they are compared, `*` for all; undefined for what is none. */
export function hostNameOf(text: string): string | undefined {
  const name = text
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^\[(.*)\]$/, "$1");
  return name === "*" || /^([a-z0-9_-]+(\.[a-z0-9_-]+)*|[\da-f:.]*:[\da-f:.]*)$/.test(name)
    ? name
    : undefined;
}

/** Names that always mean this machine: nobody can let them point elsewhere, and no page comes by them. */
export function isLoopback(host: string): boolean {
  const name = hostNameOf(host) ?? "";
  return /^((.+\.)?localhost|127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/.test(name);
}

/** What a client sent, short enough for a message. */
function shown(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
