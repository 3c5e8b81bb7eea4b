/**
 * Tools of the Responses API in the form that templates know, so that a conversation has the same tokens by
 * whatever protocol it comes. A `namespace` is a container of functions: they stand under its name and theirs. A
 * custom tool, whose input is free text, is a function of one string. Hosted tools are left out.
 */
import { TOOLS_MAX } from "../../chat/canonical.ts";
import { arrayAt, invalid, kindOf, objectAt, textAt } from "../../chat/fields.ts";
import type { Tool } from "../../chat/Message.ts";
import type { Json, JsonObject } from "../../json/json.ts";
import { isJsonObject } from "../../json/kinds.ts";
import { parseJson } from "../../json/parseJson.ts";

/** How a client knows a tool. */
export interface ClientTool {
  readonly kind: "function" | "custom";
  readonly name: string;
  readonly namespace: string | null;
}

export interface ReadTools {
  readonly tools: readonly Tool[];
  /** By the name that the model knows. */
  readonly clientTools: ReadonlyMap<string, ClientTool>;
  /** One sentence for each tool that is not served. */
  readonly ignored: readonly string[];
}

/** What Codex calls the tools that are in no namespace. */
const NO_NAMESPACE = "functions";

/** The name that the model knows; as clients without namespaces spell it. */
export function modelName(namespace: string | null, name: string): string {
  if (namespace === null || namespace === "" || namespace === NO_NAMESPACE) return name;
  return namespace.endsWith("__") ? `${namespace}${name}` : `${namespace}__${name}`;
}

export function readTools(json: Json | undefined): ReadTools {
  const reader = new ToolReader();
  reader.list(json === undefined ? [] : arrayAt(json, "tools"), null, "tools");
  return reader;
}

class ToolReader implements ReadTools {
  readonly tools: Tool[] = [];
  readonly clientTools = new Map<string, ClientTool>();
  readonly ignored: string[] = [];
  #count = 0;

  list(items: readonly Json[], namespace: string | null, field: string): void {
    for (const [index, item] of items.entries()) {
      const at = `${field}[${index}]`;
      this.#count += 1;
      if (this.#count > TOOLS_MAX)
        throw invalid(at, `is one more than the ${TOOLS_MAX} tools that are allowed.`);
      const raw = objectAt(item, at);
      const type = raw.get("type");
      if (typeof type !== "string") throw invalid(`${at}.type`, `must be a string, not ${kindOf(type)}.`);
      if (type === "function" || type === "custom") this.#add(raw, type, namespace, at);
      else if (type === "namespace" && namespace === null) {
        this.list(
          arrayAt(raw.get("tools"), `${at}.tools`),
          textAt(raw.get("name"), `${at}.name`),
          `${at}.tools`,
        );
      } else this.ignored.push(`${at} of type "${type}" is not served here and was left out.`);
    }
  }

  #add(raw: JsonObject, kind: ClientTool["kind"], namespace: string | null, at: string): void {
    const own = textAt(raw.get("name"), `${at}.name`);
    const name = modelName(namespace, own);
    if (this.clientTools.has(name)) throw invalid(`${at}.name`, `"${name}" names another tool already.`);
    const body = new Map<string, Json>([["name", name]]);
    const description = descriptionOf(raw, kind, at);
    if (description !== "") body.set("description", description);
    const parameters = kind === "custom" ? FREE_TEXT : (raw.get("parameters") ?? undefined);
    if (parameters !== undefined) body.set("parameters", objectAt(parameters, `${at}.parameters`));
    const definition = new Map<string, Json>([
      ["type", "function"],
      ["function", body],
    ]);
    this.tools.push({ name, definition });
    this.clientTools.set(name, {
      kind,
      name: own,
      namespace: namespace === NO_NAMESPACE ? null : namespace,
    });
  }
}

const FREE_TEXT = parseJson(
  '{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}',
);

/** A grammar that the input must keep to is told to the model; it is not enforced. */
function descriptionOf(raw: JsonObject, kind: ClientTool["kind"], at: string): string {
  const text = raw.get("description") ?? "";
  if (typeof text !== "string") {
    throw invalid(`${at}.description`, `must be a string, not ${kindOf(text)}.`);
  }
  const format = raw.get("format");
  if (kind !== "custom" || !isJsonObject(format) || format.get("type") !== "grammar") return text;
  const syntax = textAt(format.get("syntax"), `${at}.format.syntax`);
  const rules = textAt(format.get("definition"), `${at}.format.definition`);
  const told = `The input must follow this ${syntax} grammar:\n${rules}`;
  return text === "" ? told : `${text}\n\n${told}`;
}
