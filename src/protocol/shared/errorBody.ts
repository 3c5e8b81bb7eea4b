/** An AppError in OpenAI's form; the same object is a body and a stream event. */
import type { AppError } from "../../base/AppError.ts";

export interface OpenAiErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

export function errorBody(error: AppError): OpenAiErrorBody {
  const { type, code } = error.row.openai;
  return { error: { message: error.message, type, param: error.field, code } };
}
