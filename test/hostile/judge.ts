/** Whether an answer is one that the server promises, whatever was asked. */
import type { HostileRequest } from "./requests.ts";

export interface HostileAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Server errors that say what a client may do about them; "the server failed" is none. */
const SERVER_ERRORS = [501, 503];

/** A sentence for what must not be; null where all is well. */
export function problemOf(
  { statuses, method }: HostileRequest,
  { status, headers, text }: HostileAnswer,
): string | null {
  if (status >= 500 && !SERVER_ERRORS.includes(status)) return `a ${status}: ${text.slice(0, 200)}`;
  if (statuses !== null && !statuses.includes(status)) return `${status} is not documented`;
  if (!headers.has("x-request-id")) return "no x-request-id";
  if (/\n\s+at \S+ \(|\/src\/\w+\/|node_modules/.test(text) && status >= 400)
    return `shows its source: ${text.slice(0, 300)}`;
  if (method === "HEAD" || status < 400) return null;
  return errorProblem(text);
}

/** Ollama's error is the sentence itself. */
function errorProblem(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error: string | { message?: unknown } };
    const message = typeof error === "string" ? error : error.message;
    if (typeof message === "string" && message.length > 0) return null;
    return `an error without a message: ${text.slice(0, 200)}`;
  } catch {
    return `an error that is no JSON: ${text.slice(0, 200)}`;
  }
}
