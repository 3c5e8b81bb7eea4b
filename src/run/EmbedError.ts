import type { EngineErrorCode } from "./EngineEvent.ts";

/** Why there are no vectors; one sentence. */
export class EmbedError extends Error {
  readonly code: EngineErrorCode;
  constructor(code: EngineErrorCode, message: string) {
    super(message);
    this.name = "EmbedError";
    this.code = code;
  }
}
