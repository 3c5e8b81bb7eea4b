/** `tool_choice` in all its forms. */
import { TOOLS_MAX } from "../../chat/canonical.ts";
import { arrayAt, invalid, kindOf, objectAt, textAt } from "../../chat/fields.ts";
import type { Tool, ToolChoice } from "../../chat/Message.ts";
import type { Json, JsonObject } from "../../json/json.ts";
import { isJsonObject } from "../../json/kinds.ts";
import { modelName } from "./tools.ts";

export function readToolChoice(json: Json | undefined, tools: readonly Tool[]): ToolChoice {
  if (json === undefined) return { type: "auto" };
  if (json === "auto" || json === "none") return { type: json };
  if (json === "required") return forced("required", tools);
  if (!isJsonObject(json)) {
    throw invalid(
      "tool_choice",
      `must be "auto", "none", "required" or an object with a type, not ${
        typeof json === "string" ? `"${json}"` : kindOf(json)
      }.`,
    );
  }
  const type = json.get("type");
  if (type === "allowed_tools") return allowedTools(json, tools);
  if (type !== "function" && type !== "custom") {
    const sent = typeof type === "string" ? `"${type}"` : kindOf(type);
    throw invalid("tool_choice.type", `must be "function", "custom" or "allowed_tools", not ${sent}.`);
  }
  const { name } = toolNamed(json, tools, "tool_choice");
  return { type: "named", name };
}

/** The others are shown, too: the grammar keeps the model from calling them. */
function allowedTools(choice: JsonObject, tools: readonly Tool[]): ToolChoice {
  const mode = choice.get("mode");
  if (mode !== "auto" && mode !== "required") {
    const sent = typeof mode === "string" ? `"${mode}"` : kindOf(mode);
    throw invalid("tool_choice.mode", `must be "auto" or "required", not ${sent}.`);
  }
  const list = arrayAt(choice.get("tools"), "tool_choice.tools");
  if (list.length > TOOLS_MAX) {
    throw invalid("tool_choice.tools", `holds ${list.length} tools; at most ${TOOLS_MAX} are allowed.`);
  }
  const allowed = list.flatMap((item, index) => {
    const at = `tool_choice.tools[${index}]`;
    const raw = objectAt(item, at);
    const type = raw.get("type");
    // Hosted ones are not served.
    return type === "function" || type === "custom" ? [toolNamed(raw, tools, at)] : [];
  });
  return { ...forced(mode, allowed), allowed: allowed.map(({ name }) => name) };
}

function forced<T extends "auto" | "required">(type: T, tools: readonly Tool[]): { readonly type: T } {
  if (type === "required" && tools.length === 0) {
    throw invalid("tool_choice", "forces a call, but there is no tool to call.");
  }
  return { type };
}

function toolNamed(raw: JsonObject, tools: readonly Tool[], at: string): Tool {
  const name = textAt(raw.get("name"), `${at}.name`);
  const namespace = raw.get("namespace");
  const full = modelName(typeof namespace === "string" ? namespace : null, name);
  const found = tools.find((tool) => tool.name === full);
  if (found !== undefined) return found;
  const known = tools.map((tool) => tool.name).join(", ");
  throw invalid(`${at}.name`, `"${full}" is not among the tools: ${known}.`);
}
