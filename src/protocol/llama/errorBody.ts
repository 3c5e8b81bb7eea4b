/** An AppError in llama-server's own form; the same object is a body and a stream event. */
import type { AppError } from "../../base/AppError.ts";

export interface LlamaErrorBody {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly type: string;
    /** The field's path, as OpenAI has it; llama-server has none. */
    readonly param: string | null;
  };
}

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  500: "server_error",
  501: "not_supported_error",
  503: "unavailable_error",
};

export function llamaErrorBody(error: AppError): LlamaErrorBody {
  const code = error.row.status;
  const type = error.code === "prompt-too-long" ? "exceed_context_size_error" : TYPES[code];
  return {
    error: {
      code,
      message: error.message,
      type: type ?? "invalid_request_error",
      param: error.field,
      ...error.numbers,
    },
  };
}
