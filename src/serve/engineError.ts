/** What the client is told when the engine refuses or fails a run. */

import { AppError, type AppErrorCode } from "../base/AppError.ts";
import type { EngineErrorCode } from "../run/EngineEvent.ts";

const CODES: Record<EngineErrorCode, AppErrorCode> = {
  "queue-full": "queue-full",
  "prompt-too-long": "prompt-too-long",
  "stale-warm-plan": "internal",
  "grammar-invalid": "grammar-invalid",
  "grammar-dead-end": "grammar-dead-end",
  "evaluate-failed": "engine-failed",
  "bad-numbers": "engine-failed",
  "out-of-memory": "engine-failed",
  closing: "closing",
  crashed: "engine-failed",
};

/** A lane is free again within seconds, most of the time. */
const RETRY_SECONDS = 2;

export function engineError(code: EngineErrorCode, message: string): AppError {
  const app = CODES[code];
  if (app === "queue-full") return queueFull(message);
  if (app === "closing") return new AppError(app, message, { retryAfterSeconds: RETRY_SECONDS });
  return app === "grammar-invalid"
    ? new AppError(app, message, { field: "grammar" })
    : new AppError(app, message);
}

export function queueFull(message: string): AppError {
  return new AppError("queue-full", message, { retryAfterSeconds: RETRY_SECONDS });
}
