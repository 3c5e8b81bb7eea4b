/** An AppError in Ollama's form; the same object is a body and a line of a stream. */
import type { AppError } from "../../base/AppError.ts";

export interface OllamaErrorBody {
  readonly error: string;
}

export function ollamaErrorBody({ message }: AppError): OllamaErrorBody {
  return { error: message };
}

/** `/api/hello` is what Claude Code asks. */
export function speaksOllama(path: string): boolean {
  return path.startsWith("/api/") && path !== "/api/hello";
}
