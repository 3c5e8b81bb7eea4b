/** Text to and from C: NUL-terminated going in, caller-owned buffers coming out. */
import { FfiError, unwrap } from "./FfiError.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** @throws FfiError("range") for text that holds a NUL: C would read only what is before it. */
export function cString(text: string): Uint8Array {
  if (text.includes("\0")) throw new FfiError("range", "text for llama.cpp holds a NUL character");
  return encoder.encode(`${text}\0`);
}

/** Text up to the first NUL. */
export function readText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** Calls a function that fills a buffer and returns the length needed; a second time when it was short. */
export function askText(doing: string, ask: (text: Uint8Array, size: number) => number): string {
  let buffer = new Uint8Array(1024);
  let length = unwrap(ask(buffer, buffer.byteLength), doing);
  if (length >= buffer.byteLength) {
    buffer = new Uint8Array(length + 1);
    length = unwrap(ask(buffer, buffer.byteLength), doing);
  }
  return decoder.decode(buffer.subarray(0, length));
}
