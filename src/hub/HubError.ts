/** Why a model could not be fetched: one sentence, and the next step. */
export type HubErrorCode =
  /** What was typed is no model's name. */
  | "bad-name"
  /** No such repository, or a private one. */
  | "not-found"
  | "token-refused"
  | "gated"
  | "rate-limited"
  /** No network, no such host, nobody listens there. */
  | "unreachable"
  /** The connection broke, stood still, or the hub answered 5xx. */
  | "broken"
  /** The server has no bytes from there on. */
  | "bad-range"
  /** The answer is none of a hub. */
  | "not-a-hub"
  /** No model file in the repository, or none of that quantisation. */
  | "no-file"
  | "part-missing"
  | "checksum"
  | "not-gguf"
  | "disk-full"
  /** The cache folder cannot be used. */
  | "folder"
  /** Another process is at it. */
  | "in-use";

export class HubError extends Error {
  override readonly name = "HubError";
  readonly code: HubErrorCode;
  /** For `rate-limited` and `broken`: how long the hub asks to wait. */
  readonly waitMs: number | null;

  constructor(code: HubErrorCode, message: string, waitMs: number | null = null) {
    super(message);
    this.code = code;
    this.waitMs = waitMs;
  }

  /** Trying again may help. */
  get transient(): boolean {
    return this.code === "broken" || this.code === "rate-limited" || this.code === "unreachable";
  }
}
