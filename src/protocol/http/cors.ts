/**
 * Which pages of other origins may read answers: none, unless `--cors-origins` names them. Every answer says
 * so, whatever made it: handlers, refusals, foreign paths, streams; @elysiajs/cors sees only what passes through
 * Elysia, and echoes any origin with credentials unless each of its defaults is turned off. Credentials are
 * never allowed: keys come in headers that a page must know, not in cookies that it need not.
 */
import type { Methods } from "./methodsOf.ts";

export interface Cors {
  /** The answer to a browser's question before a request; null where it is none, or nobody may ask. */
  preflight(request: Request): Response | null;
  /** Whether pages of this origin may read answers. */
  allows(origin: string): boolean;
  /** Adds to an answer's headers what its request's origin may do with it. */
  allow(request: Request, headers: Headers): void;
}

/** Headers that a page may read of an answer, beside the few that it always may. */
const EXPOSED = "x-request-id, request-id, retry-after";
/** Seconds that a browser may remember a preflight: the most that any keeps. */
const PREFLIGHT_SECONDS = "7200";
const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** `origins`: of `originOf`. */
export function corsOf(origins: readonly string[], methods: Methods): Cors {
  const any = origins.includes("*");
  const allows = (origin: string): boolean =>
    any || (origins.includes("localhost") && LOCAL.test(origin)) || origins.includes(origin.toLowerCase());
  const allowed = (request: Request): string | null => {
    if (any) return "*";
    const origin = request.headers.get("origin") ?? "";
    return allows(origin) ? origin : null;
  };
  const allow = (request: Request, headers: Headers): void => {
    if (origins.length === 0) return;
    if (!any) headers.append("vary", "origin");
    const origin = allowed(request);
    if (origin === null) return;
    headers.set("access-control-allow-origin", origin);
    headers.set("access-control-expose-headers", EXPOSED);
  };
  return {
    allows,
    allow,
    preflight: (request) => {
      const asks = request.method === "OPTIONS" && request.headers.has("access-control-request-method");
      if (!asks || allowed(request) === null) return null;
      const taken = methods(new URL(request.url).pathname);
      const headers = new Headers({ "access-control-max-age": PREFLIGHT_SECONDS });
      if (taken !== null) headers.set("access-control-allow-methods", taken);
      // For any header: `*` would not include `authorization`.
      const wanted = request.headers.get("access-control-request-headers");
      if (wanted !== null) headers.set("access-control-allow-headers", wanted);
      return new Response(null, { status: 204, headers });
    },
  };
}

/** As a browser spells it, `*`, or llama-server's `localhost` (any port of this machine); undefined for others. */
export function originOf(text: string): string | undefined {
  const origin = text.replace(/\/$/, "").toLowerCase();
  if (origin === "*" || origin === "localhost") return origin;
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s@]+$/.test(origin)) return undefined;
  // Of http and https it leaves out the usual port; extensions and desktop shells have schemes of their own.
  const known = URL.parse(origin)?.origin ?? "null";
  return known === "null" ? origin : known;
}
