/**
 * `--warm-prompt`: bodies of requests whose prompts are prefilled when the server is ready, so that the first request
 * that begins like one of them finds it kept. Each goes the way of any request, for no tokens, and for every key: a
 * key's states are its own.
 */
import { readFileSync } from "node:fs";
import { StartError } from "../base/StartError.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { isJsonArray, isJsonObject } from "../json/kinds.ts";
import { parseJson } from "../json/parseJson.ts";
import { writeJson } from "../json/writeJson.ts";
import type { ApiKey } from "../protocol/http/auth.ts";
import type { App } from "./createApp.ts";

export interface WarmPrompt {
  readonly file: string;
  /** The endpoint that takes such a body. */
  readonly path: string;
  readonly body: string;
}

/** Throws StartError for a file that holds no request body. */
export function readWarmPrompts(files: readonly string[]): readonly WarmPrompt[] {
  return files.map((file) => {
    const body = readBody(file);
    const path = pathOf(body);
    const limit = path === "/v1/responses" ? "max_output_tokens" : "max_tokens";
    const changed = new Map<string, Json>([...body, ["stream", false], [limit, { raw: "0" }]]);
    changed.delete("max_completion_tokens");
    if (path === "/v1/responses") changed.set("store", false);
    return { file, path, body: writeJson(changed, "compact") };
  });
}

function readBody(file: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as { readonly code?: string };
    throw new StartError(`--warm-prompt: ${file} cannot be read (${code ?? String(error)}).`);
  }
  try {
    const body = parseJson(text);
    if (isJsonObject(body)) return body;
  } catch {
    // As good as none.
  }
  throw new StartError(`--warm-prompt: ${file} holds no request body, which is one JSON object.`);
}

/** By what only this protocol has; a body of messages alone is the same prompt by either. */
function pathOf(body: JsonObject): string {
  if (body.has("input")) return "/v1/responses";
  if (body.has("prompt")) return "/v1/completions";
  const tools = body.get("tools");
  const first = isJsonArray(tools) ? tools[0] : undefined;
  const isAnthropic = body.has("system") || (isJsonObject(first) && first.has("input_schema"));
  return isAnthropic ? "/v1/messages" : "/v1/chat/completions";
}

export interface WarmPromptsWatch {
  readonly apiKeys: readonly ApiKey[];
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** One after another; never rejects. What is refused is one line of the log. */
export async function warmPrompts(
  app: App,
  prompts: readonly WarmPrompt[],
  { apiKeys, log }: WarmPromptsWatch,
): Promise<void> {
  const keys = apiKeys.length === 0 ? [null] : apiKeys.map(({ key }) => key);
  for (const { file, path, body } of prompts) {
    for (const key of keys) {
      const started = performance.now();
      const headers = new Headers({ "content-type": "application/json" });
      if (key !== null) headers.set("authorization", `Bearer ${key}`);
      const request = new Request(`http://localhost${path}`, { method: "POST", headers, body });
      const answer = await app.fetch(request);
      const text = await answer.text();
      const ms = Math.round(performance.now() - started);
      if (answer.ok) log.info({ file, ms }, "prompt warmed");
      else log.warn({ file, status: answer.status, answer: text }, "--warm-prompt: it was refused");
    }
  }
}
