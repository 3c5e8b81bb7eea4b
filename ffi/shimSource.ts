/**
 * The shim's C source as one text, for Bun's `cc`. The files are imported as text, so that they travel inside
 * a compiled executable; `cc` needs a path, so the text is written to the cache folder, named by its hash.
 */
import chainSource from "./shim/chain.c" with { type: "text" };
import contextSource from "./shim/context.c" with { type: "text" };
import heldSource from "./shim/held.c" with { type: "text" };
import llamaSource from "./shim/llama.h" with { type: "text" };
import modelSource from "./shim/model.c" with { type: "text" };
import processSource from "./shim/process.c" with { type: "text" };
import samplerSource from "./shim/sampler.c" with { type: "text" };
import shimHeader from "./shim/shim.h" with { type: "text" };

/** Of the text, 16 hexadecimal digits. */
export function shimHash(source: string = shimSource()): string {
  return Bun.hash.xxHash64(source).toString(16).padStart(16, "0");
}

/** In the order of `shim/shim.c`, less the includes of one another. */
export function shimSource(): string {
  const parts = [processSource, modelSource, contextSource, heldSource, chainSource, samplerSource];
  return [shimHeader, llamaSource, ...parts].map((text) => text.replace(/^#include ".*"$/gm, "")).join("\n");
}
