/**
 * Reasoning as `encrypted_content`, for the clients that send nothing else of it back. It is no secret (the text
 * stands in the same item) and no memory: what it stands for is in it.
 */
import type { Json } from "../../json/json.ts";

const MARK = "wt1.";

export function sealReasoning(text: string): string {
  return MARK + Buffer.from(text, "utf8").toString("base64");
}

/** "" for what was not sealed here: it cannot be read. */
export function openSealed(sealed: Json | undefined): string {
  if (typeof sealed !== "string" || !sealed.startsWith(MARK)) return "";
  return Buffer.from(sealed.slice(MARK.length), "base64").toString("utf8");
}
