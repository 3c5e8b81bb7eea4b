/**
 * The one error of `ffi/`: something that llama.cpp or the shim refused, in one sentence. A status of the
 * shim never travels further than `unwrap`.
 */
import { CODES, type Shim } from "./symbols.ts";

export type FfiErrorCode =
  /** Closed, never opened, or of another kind. */
  | "closed"
  /** Still has live children. */
  | "busy"
  /** An argument is out of its range. */
  | "range"
  /** llama.cpp failed; the message has its words. */
  | "failed"
  | "out-of-memory"
  | "grammar-invalid"
  /** Logits that are NaN or infinite. */
  | "bad-numbers"
  /** No folder to unpack files in. */
  | "cache"
  /** No library, or one of another version. */
  | "library"
  /** No model file, or one that is no whole GGUF. */
  | "model-file";

export class FfiError extends Error {
  readonly code: FfiErrorCode;
  constructor(code: FfiErrorCode, message: string) {
    super(message);
    this.name = "FfiError";
    this.code = code;
  }
}

const BY_STATUS: ReadonlyMap<number, readonly [FfiErrorCode, string]> = new Map([
  [CODES.WT_BAD_HANDLE, ["closed", "it is closed"]],
  [CODES.WT_BUSY, ["busy", "something opened from it is still in use"]],
  [CODES.WT_RANGE, ["range", "an argument is out of range"]],
  [CODES.WT_FAILED, ["failed", "llama.cpp failed"]],
  [CODES.WT_OUT_OF_MEMORY, ["out-of-memory", "out of memory"]],
  [CODES.WT_NOT_OPEN, ["closed", "the library is not open"]],
  [CODES.WT_BAD_NUMBERS, ["bad-numbers", "the model gave logits that are not numbers"]],
  [CODES.WT_FULL, ["busy", "too many handles are open"]],
]);

/** A status as an error. `words` is what llama.cpp logged since, if anything. */
export function statusError(status: number, doing: string, words = ""): FfiError {
  const [code, reason] = BY_STATUS.get(status) ?? ["failed", `status ${status}`];
  return new FfiError(code, `${doing}: ${words || reason}`);
}

/** Returns a result of 0 and above; throws for a status. */
export function unwrap(result: number, doing: string): number {
  if (result < 0) throw statusError(result, doing);
  return result;
}

const LOG_BYTES = 16 * 1024;
const decoder = new TextDecoder();

/**
 * Calls into llama.cpp and, when that fails, says in its own words why: what it logged on this thread that
 * names a cause. `llama_model_load: error loading model: x` becomes `x`.
 */
export function withWords(shim: Shim, doing: string, call: () => number): number {
  const mark = shim.wt_log_mark();
  const result = call();
  if (result >= 0) return result;
  throw statusError(result, doing, wordsSince(shim, mark));
}

/** What llama.cpp gave as a cause on this thread since `mark`; "" for nothing. */
export function wordsSince(shim: Shim, mark: number): string {
  const text = new Uint8Array(LOG_BYTES);
  const length = shim.wt_log_read(mark, text, LOG_BYTES);
  return logWords(decoder.decode(text.subarray(0, Math.max(0, length))));
}

/** Lines that only say that something failed, without why. */
const EMPTY_WORDS =
  /^(llama_model_loader: )?(failed to load model.*|failed to initialize the context|error loading model)\.?$/;

/** The first error that names a cause; else the last warning that does. */
export function logWords(log: string): string {
  const lines = log
    .split("\n")
    .map((line) => ({ isError: line.startsWith("E"), words: causeOf(line.slice(1)) }))
    .filter(({ words }) => words !== "" && !EMPTY_WORDS.test(words));
  return (lines.find((line) => line.isError) ?? lines.at(-1))?.words ?? "";
}

function causeOf(line: string): string {
  return line
    .replace(/^[A-Za-z_][\w:]*(\(\))?: /, "")
    .replace(/^(error loading model|failed to initialize the context): /, "")
    .trim();
}
