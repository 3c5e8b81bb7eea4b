/**
 * What a browser lets the page do: run the scripts and styles that stand in it, by their hashes, and ask this server.
 * Text of a model that reached the page as markup could neither run nor load anything.
 */
import { createHash } from "node:crypto";

export function contentPolicy(html: string): string {
  return [
    "default-src 'none'",
    `script-src ${hashes(html, "script")}`,
    `style-src ${hashes(html, "style")}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function hashes(html: string, tag: "script" | "style"): string {
  const inside = [...html.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, "g"))];
  return inside
    .map(([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`)
    .join(" ");
}
