/** `tool_choice` of chat completions in all its forms. */
import { TOOLS_MAX } from "../../chat/canonical.ts";
import { arrayAt, invalid, kindOf, objectAt, textAt } from "../../chat/fields.ts";
import type { Tool, ToolChoice } from "../../chat/Message.ts";
import type { Json, JsonObject } from "../../json/json.ts";
import { isJsonObject } from "../../json/kinds.ts";

const ALLOWED = "tool_choice.allowed_tools";

export function readToolChoice(value: Json | undefined, tools: readonly Tool[]): ToolChoice {
  if (value === undefined) return { type: "auto" };
  if (value === "auto" || value === "none") return { type: value };
  if (value === "required") return forced(tools);
  if (!isJsonObject(value)) {
    const sent = typeof value === "string" ? `"${value}"` : kindOf(value);
    throw invalid(
      "tool_choice",
      `must be "auto", "none", "required" or {"type": "function", "function": {"name": …}}, not ${sent}.`,
    );
  }
  const type = value.get("type");
  if (type === "allowed_tools") return allowedTools(objectAt(value.get("allowed_tools"), ALLOWED), tools);
  if (type !== "function") {
    const sent = typeof type === "string" ? `"${type}"` : kindOf(type);
    throw invalid("tool_choice.type", `must be "function" or "allowed_tools", not ${sent}.`);
  }
  if (tools.length === 0) throw forcesNothing();
  return { type: "named", name: toolNamed(value, tools, "tool_choice").name };
}

/** The others are shown, too: the grammar keeps the model from calling them. */
function allowedTools(choice: JsonObject, tools: readonly Tool[]): ToolChoice {
  const mode = choice.get("mode");
  if (mode !== "auto" && mode !== "required") {
    const sent = typeof mode === "string" ? `"${mode}"` : kindOf(mode);
    throw invalid(`${ALLOWED}.mode`, `must be "auto" or "required", not ${sent}.`);
  }
  const list = arrayAt(choice.get("tools"), `${ALLOWED}.tools`);
  if (list.length > TOOLS_MAX) {
    throw invalid(`${ALLOWED}.tools`, `holds ${list.length} tools; at most ${TOOLS_MAX} are allowed.`);
  }
  const allowed = list.map((item, index) => {
    const at = `${ALLOWED}.tools[${index}]`;
    return toolNamed(objectAt(item, at), tools, at);
  });
  const choices: ToolChoice = mode === "auto" ? { type: "auto" } : forced(allowed);
  return { ...choices, allowed: allowed.map(({ name }) => name) };
}

function forced(tools: readonly Tool[]): { readonly type: "required" } {
  if (tools.length === 0) throw forcesNothing();
  return { type: "required" };
}

function forcesNothing(): Error {
  return invalid("tool_choice", "forces a call, but there is no tool to call.");
}

/** `{function: {name}}`; flat `{name}`, which is the Responses API's form, says the same. */
function toolNamed(raw: JsonObject, tools: readonly Tool[], at: string): Tool {
  const flat = !raw.has("function") && raw.has("name");
  const place = flat ? at : `${at}.function`;
  const name = textAt((flat ? raw : objectAt(raw.get("function"), place)).get("name"), `${place}.name`);
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const known = tools.map((tool) => tool.name).join(", ");
  throw invalid(`${place}.name`, `"${name}" is not among the tools: ${known}.`);
}
