/**
 * Anthropic's tools in the form that templates know, so that a conversation has the same tokens by whatever
 * protocol it comes. Tools that the model cannot be given are left out: those whose loading is deferred (a
 * `tool_reference` in a result brings them in later) and those that Anthropic would run or define itself.
 */
import { TOOLS_MAX } from "../../chat/canonical.ts";
import { arrayAt, invalid, kindOf, objectAt, textAt } from "../../chat/fields.ts";
import type { Tool, ToolChoice } from "../../chat/Message.ts";
import type { Json, JsonObject } from "../../json/json.ts";

export interface ReadTools {
  readonly tools: readonly Tool[];
  /** By name. */
  readonly deferred: ReadonlyMap<string, Tool>;
  /** One sentence for each tool that is not served. */
  readonly ignored: readonly string[];
}

export function readTools(json: Json | undefined): ReadTools {
  const tools: Tool[] = [];
  const deferred = new Map<string, Tool>();
  const ignored: string[] = [];
  const list = json === undefined ? [] : arrayAt(json, "tools");
  if (list.length > TOOLS_MAX) {
    throw invalid("tools", `holds ${list.length} tools; at most ${TOOLS_MAX} are allowed.`);
  }
  const names = new Set<string>();
  for (const [index, item] of list.entries()) {
    const at = `tools[${index}]`;
    const raw = objectAt(item, at);
    const type = raw.get("type") ?? "custom";
    if (typeof type !== "string") throw invalid(`${at}.type`, `must be a string, not ${kindOf(type)}.`);
    if (type !== "custom") {
      ignored.push(`${at} of type "${type}" is not served here and was left out.`);
      continue;
    }
    const tool = readTool(raw, at);
    if (names.has(tool.name)) throw invalid(`${at}.name`, `"${tool.name}" names another tool already.`);
    names.add(tool.name);
    if (raw.get("defer_loading") === true) deferred.set(tool.name, tool);
    else tools.push(tool);
  }
  return { tools, deferred, ignored };
}

function readTool(raw: JsonObject, at: string): Tool {
  const name = textAt(raw.get("name"), `${at}.name`);
  const body = new Map<string, Json>([["name", name]]);
  const description = raw.get("description") ?? undefined;
  if (description !== undefined) {
    if (typeof description !== "string") {
      throw invalid(`${at}.description`, `must be a string, not ${kindOf(description)}.`);
    }
    body.set("description", description);
  }
  const schema = raw.get("input_schema") ?? undefined;
  if (schema !== undefined) body.set("parameters", objectAt(schema, `${at}.input_schema`));
  return {
    name,
    definition: new Map<string, Json>([
      ["type", "function"],
      ["function", body],
    ]),
  };
}

export interface ReadToolChoice {
  readonly toolChoice: ToolChoice;
  readonly parallelCalls: boolean;
}

export function readToolChoice(json: Json | undefined, tools: readonly Tool[]): ReadToolChoice {
  if (json === undefined) return { toolChoice: { type: "auto" }, parallelCalls: true };
  const choice = objectAt(json, "tool_choice");
  const single = choice.get("disable_parallel_tool_use") ?? false;
  if (typeof single !== "boolean") {
    throw invalid("tool_choice.disable_parallel_tool_use", `must be true or false, not ${kindOf(single)}.`);
  }
  return { toolChoice: choiceOf(choice, tools), parallelCalls: !single };
}

function choiceOf(choice: JsonObject, tools: readonly Tool[]): ToolChoice {
  const type = choice.get("type");
  if (type === "auto" || type === "none") return { type };
  if (type !== "any" && type !== "tool") {
    const sent = typeof type === "string" ? `"${type}"` : kindOf(type);
    throw invalid("tool_choice.type", `must be "auto", "any", "tool" or "none", not ${sent}.`);
  }
  if (tools.length === 0) throw invalid("tool_choice", "forces a call, but `tools` holds none to call.");
  if (type === "any") return { type: "required" };
  const name = textAt(choice.get("name"), "tool_choice.name");
  if (tools.some((tool) => tool.name === name)) return { type: "named", name };
  const known = tools.map((tool) => tool.name).join(", ");
  throw invalid("tool_choice.name", `"${name}" is not among the tools: ${known}.`);
}
