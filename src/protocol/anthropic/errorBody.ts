/** An AppError in Anthropic's form; the same object is a body and the data of a stream's `error` event. */
import type { AppError } from "../../base/AppError.ts";

export interface AnthropicErrorBody {
  readonly type: "error";
  readonly error: { readonly type: string; readonly message: string };
  readonly request_id: string;
}

export function anthropicErrorBody(error: AppError, requestId: string): AnthropicErrorBody {
  return {
    type: "error",
    error: { type: error.row.anthropic, message: messageOf(error) },
    request_id: requestId,
  };
}

/**
 * The message begins with the field's path, as Anthropic's own do: the form has no field for it. A path that is only
 * `messages` is left out.
 */
function messageOf({ message, field }: AppError): string {
  if (field === null || field === "messages" || message.startsWith(field)) return message;
  return `${field}: ${message}`;
}

/** Whether a client of this protocol asked, whatever the path is: its SDKs always name their version. */
export function speaksAnthropic(request: Request, path: string): boolean {
  return /^\/v1\/messages(\/|$)/.test(path) || request.headers.has("anthropic-version");
}
