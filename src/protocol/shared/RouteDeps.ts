/** What a protocol's routes are given. */
import type { AppError } from "../../base/AppError.ts";
import type { ServiceDeps } from "./ServiceDeps.ts";

export interface RouteDeps {
  /** Throws AppError while the model loads or the server closes. */
  readonly ready: () => ServiceDeps;
  /** Throws AppError for an unknown key. */
  readonly tenantOf: (headers: Headers) => string;
  /** For the log; the client gets a sentence without the cause. */
  readonly onUnforeseen: (error: unknown) => AppError;
}

/** The same where requests may ask for what is not served. */
export interface NotingRouteDeps extends RouteDeps {
  readonly requestIdOf: (request: Request) => string;
  /** What a request asked for and does not get, for the log. */
  readonly onIgnored: (id: string, ignored: readonly string[]) => void;
}
