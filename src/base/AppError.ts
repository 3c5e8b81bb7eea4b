/**
 * One table of everything that a client can be told. Before the first byte an error is an HTTP status with
 * the protocol's own body; after it, a stream event of that protocol.
 */

interface ErrorRow {
  readonly status: number;
  /** OpenAI's `error.type` and `error.code`. */
  readonly openai: { readonly type: string; readonly code: string | null };
  /** Anthropic's `error.type`. */
  readonly anthropic: string;
}

const TABLE = {
  "invalid-request": row(400, "invalid_request_error", null, "invalid_request_error"),
  "prompt-too-long": row(400, "invalid_request_error", "context_length_exceeded", "invalid_request_error"),
  "grammar-invalid": row(400, "invalid_request_error", "invalid_grammar", "invalid_request_error"),
  "template-refused": row(400, "invalid_request_error", "template_refused", "invalid_request_error"),
  "prefill-unsupported": row(400, "invalid_request_error", "prefill_unsupported", "invalid_request_error"),
  unauthorized: row(401, "authentication_error", "invalid_api_key", "authentication_error"),
  // A page of another origin, or a Host header that does not name this machine: not a client that the user meant.
  "host-refused": row(403, "permission_error", "host_not_allowed", "permission_error"),
  "origin-refused": row(403, "permission_error", "origin_not_allowed", "permission_error"),
  "not-found": row(404, "invalid_request_error", "not_found", "not_found_error"),
  "model-not-found": row(404, "invalid_request_error", "model_not_found", "not_found_error"),
  "method-not-allowed": row(405, "invalid_request_error", "method_not_allowed", "invalid_request_error"),
  "body-too-large": row(413, "invalid_request_error", "request_too_large", "request_too_large"),
  "unsupported-media": row(415, "invalid_request_error", "unsupported_media_type", "invalid_request_error"),
  "queue-full": row(429, "rate_limit_error", "queue_full", "rate_limit_error"),
  // The client's own grammar or schema allows no next token. Not a 5xx: clients would send it again, in vain.
  "grammar-dead-end": row(400, "invalid_request_error", "grammar_dead_end", "invalid_request_error"),
  "engine-failed": row(500, "server_error", "engine_failed", "api_error"),
  // As llama-server says it of what is switched off, or what the model cannot do.
  "not-supported": row(501, "invalid_request_error", "not_supported", "invalid_request_error"),
  "no-slot": row(503, "server_error", "no_slot", "overloaded_error"),
  internal: row(500, "server_error", "internal_error", "api_error"),
  loading: row(503, "server_error", "model_loading", "overloaded_error"),
  closing: row(503, "server_error", "shutting_down", "overloaded_error"),
} as const satisfies Record<string, ErrorRow>;

function row(status: number, type: string, code: string | null, anthropic: string): ErrorRow {
  return { status, openai: { type, code }, anthropic };
}

export type AppErrorCode = keyof typeof TABLE;

export function errorRow(code: AppErrorCode): ErrorRow {
  return TABLE[code];
}

/** An error for the client: what is wrong, which field, what would be right. Never holds a stack trace. */
export class AppError extends Error {
  readonly code: AppErrorCode;
  /** Path of the field, e.g. `messages[2].content`. */
  readonly field: string | null;
  /** For `retry-after`. */
  readonly retryAfterSeconds: number | null;
  /** What the message counts, by llama-server's names. */
  readonly numbers: Readonly<Record<string, number>>;

  constructor(
    code: AppErrorCode,
    message: string,
    more: {
      readonly field?: string;
      readonly retryAfterSeconds?: number;
      readonly numbers?: Readonly<Record<string, number>>;
    } = {},
  ) {
    super(message);
    this.name = "AppError";
    this.code = code;
    this.field = more.field ?? null;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
    this.numbers = more.numbers ?? {};
  }

  get row(): ErrorRow {
    return errorRow(this.code);
  }
}
