/**
 * The request bodies of the three protocols, as far as a script and a judge have to read and change them. Written
 * by itself, from the protocols, and not with the server's readers.
 */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** One entry of `messages` or `input`. */
export interface Entry {
  readonly kind: "system" | "user" | "reply" | "result";
  readonly text: string;
  /** Results of calls in it. */
  readonly results: number;
  readonly raw: Json;
}

export interface ToolShown {
  readonly name: string;
  /** The container that Responses clients put functions in. */
  readonly namespace?: string;
  readonly schema: JsonObject;
}

export type Protocol = "chat" | "messages" | "responses";

export function protocolOf(path: string): Protocol | undefined {
  if (path.endsWith("/chat/completions")) return "chat";
  if (path.endsWith("/messages")) return "messages";
  return path.endsWith("/responses") ? "responses" : undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export class Body {
  readonly protocol: Protocol;
  readonly json: JsonObject;

  constructor(protocol: Protocol, json: JsonObject) {
    this.protocol = protocol;
    this.json = json;
  }

  static parse(path: string, text: string): Body | undefined {
    const protocol = protocolOf(path);
    const json: Json = protocol === undefined ? null : JSON.parse(text);
    return protocol === undefined || !isObject(json) ? undefined : new Body(protocol, json);
  }

  get entries(): readonly Entry[] {
    return listOf(this.json[this.#listKey]).map((raw) => {
      const kind = kindOf(raw);
      return { raw, kind, text: textOf(raw), results: kind === "result" ? resultsIn(raw) : 0 };
    });
  }

  /** Functions only. */
  get tools(): readonly ToolShown[] {
    return listOf(this.json["tools"]).flatMap((tool) => toolsIn(tool));
  }

  /** The JSON Schema that the answer has to fit, or undefined. */
  get answerSchema(): JsonObject | undefined {
    const places = [
      at(this.json, "response_format", "json_schema", "schema"),
      at(this.json, "output_config", "format", "schema"),
      at(this.json, "text", "format", "schema"),
    ];
    return places.find(isObject);
  }

  withEntries(raw: readonly Json[]): Body {
    return new Body(this.protocol, { ...this.json, [this.#listKey]: raw });
  }

  /** A message that a user may send next. */
  userEntry(text: string): Json {
    return this.protocol === "responses"
      ? { type: "message", role: "user", content: [{ type: "input_text", text }] }
      : { role: "user", content: text };
  }

  /** The same results with another text, and nothing beside them. */
  withResult(raw: Json, text: string): Json {
    if (!isObject(raw)) return raw;
    if (this.protocol === "chat") return { ...raw, content: text };
    if (this.protocol === "responses") return { ...raw, output: text };
    const results = listOf(raw["content"]).filter((block) => isResultBlock(block));
    return {
      ...raw,
      content: results.map((block) => (isObject(block) ? { ...block, content: text } : block)),
    };
  }

  get #listKey(): "input" | "messages" {
    return this.protocol === "responses" ? "input" : "messages";
  }
}

function at(json: JsonObject, ...keys: readonly string[]): Json | undefined {
  let value: Json | undefined = json;
  for (const key of keys) value = isObject(value) ? value[key] : undefined;
  return value;
}

function kindOf(raw: Json): Entry["kind"] {
  if (!isObject(raw)) return "user";
  const { role, type } = raw;
  if (role === "tool" || type === "function_call_output" || type === "custom_tool_call_output")
    return "result";
  if (role === "assistant" || type === "function_call" || type === "reasoning" || type === "custom_tool_call")
    return "reply";
  if (role === "system" || role === "developer") return "system";
  return listOf(raw["content"]).some((block) => isResultBlock(block)) ? "result" : "user";
}

function resultsIn(raw: Json): number {
  const blocks = isObject(raw) ? listOf(raw["content"]).filter((block) => isResultBlock(block)) : [];
  return Math.max(1, blocks.length);
}

function isResultBlock(block: Json): boolean {
  return isObject(block) && block["type"] === "tool_result";
}

/** All text in it, whatever block it stands in. */
function textOf(raw: Json): string {
  if (typeof raw === "string") return raw;
  if (Array.isArray(raw)) return raw.map((one: Json) => textOf(one)).join("\n");
  if (!isObject(raw)) return "";
  return ["text", "content", "output"].map((key) => textOf(raw[key] ?? null)).join("");
}

function toolsIn(tool: Json): ToolShown[] {
  if (!isObject(tool)) return [];
  if (tool["type"] === "namespace") {
    return listOf(tool["tools"])
      .flatMap((inner) => toolsIn(inner))
      .map((inner) => ({ ...inner, namespace: String(tool["name"]) }));
  }
  const shown = isObject(tool["function"]) ? tool["function"] : tool;
  const schema = [shown["parameters"], shown["input_schema"]].find(isObject);
  return typeof shown["name"] === "string" && schema !== undefined ? [{ name: shown["name"], schema }] : [];
}
