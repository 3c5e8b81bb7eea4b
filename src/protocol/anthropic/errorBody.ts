/** An AppError in Anthropic's form; the same object is a body and the data of a stream's `error` event. */
import type { AppError } from "../../errors.ts";

export interface AnthropicErrorBody {
  readonly type: "error";
  readonly error: { readonly type: string; readonly message: string };
  readonly request_id: string;
}

/** The message begins with the field's path where there is one, as Anthropic's own do. */
export function anthropicErrorBody(error: AppError, requestId: string): AnthropicErrorBody {
  return {
    type: "error",
    error: { type: error.row.anthropic, message: error.message },
    request_id: requestId,
  };
}

/** Whether a client of this protocol asked, whatever the path is: its SDKs always name their version. */
export function speaksAnthropic(request: Request, path: string): boolean {
  return /^\/v1\/messages(\/|$)/.test(path) || request.headers.has("anthropic-version");
}
