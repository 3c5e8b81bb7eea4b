/** Where the server stands: it listens in all phases. */
import { AppError } from "../../base/AppError.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";

export type ServerPhase =
  | { readonly phase: "loading" }
  | { readonly phase: "ready"; readonly chat: ServiceDeps }
  | { readonly phase: "closing" };

/** Seconds after which a client may find the model loaded. */
const RETRY_SECONDS = 2;

export function notReady(phase: "loading" | "closing"): AppError {
  const message = phase === "loading" ? "The model is still loading." : "The server is shutting down.";
  return new AppError(phase, message, { retryAfterSeconds: RETRY_SECONDS });
}
