/** Where the server stands: it listens in all phases. */
import { AppError } from "../../base/AppError.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";

export type ServerPhase =
  | { readonly phase: "loading" }
  /** The server crashed; who answers is its supervisor. */
  | { readonly phase: "restarting" }
  | { readonly phase: "ready"; readonly chat: ServiceDeps }
  | { readonly phase: "closing" };

/** Seconds after which a client may find the model loaded. */
const RETRY_SECONDS = 2;

const MESSAGES = {
  loading: "The model is still loading.",
  restarting: "The server crashed and is starting again.",
  closing: "The server is shutting down.",
} as const;

export function notReady(phase: keyof typeof MESSAGES): AppError {
  const code = phase === "restarting" ? "loading" : phase;
  return new AppError(code, MESSAGES[phase], { retryAfterSeconds: RETRY_SECONDS });
}
