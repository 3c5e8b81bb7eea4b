/**
 * `functions` and `function_call`, OpenAI's tools of 2023: read as tools and answered in their own form, one call a
 * reply, without an id.
 */
import { canonicalTools, TOOLS_MAX } from "../../chat/canonical.ts";
import { arrayAt, invalid, objectAt, textAt } from "../../chat/fields.ts";
import type { Message, Tool, ToolChoice } from "../../chat/Message.ts";
import { legacyCallId } from "../../chat/SentCalls.ts";
import type { Json } from "../../json/json.ts";
import type { RequestFields } from "../shared/RequestFields.ts";

/** Whether a request is in that form: where it has `tools`, the old fields are not read. */
export function isLegacy(fields: RequestFields): boolean {
  return fields.get("tools") === undefined && fields.get("functions") !== undefined;
}

export function legacyTools(json: Json | undefined): readonly Tool[] {
  const list = arrayAt(json, "functions");
  if (list.length > TOOLS_MAX) {
    throw invalid("functions", `holds ${list.length} functions; at most ${TOOLS_MAX} are allowed.`);
  }
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const at = `functions[${index}]`;
    const name = textAt(objectAt(item, at).get("name"), `${at}.name`);
    if (seen.has(name)) throw invalid(`${at}.name`, `"${name}" names another function already.`);
    seen.add(name);
    const wrapped = new Map<string, Json>([
      ["type", "function"],
      ["function", item],
    ]);
    return canonicalTools([wrapped], at);
  });
}

export function legacyChoice(json: Json | undefined, tools: readonly Tool[]): ToolChoice {
  if (json === undefined || json === "auto") return { type: "auto" };
  if (json === "none") return { type: "none" };
  if (typeof json === "string") {
    throw invalid("function_call", `must be "auto", "none" or an object with a name, not "${json}".`);
  }
  const name = textAt(objectAt(json, "function_call").get("name"), "function_call.name");
  if (tools.some((tool) => tool.name === name)) return { type: "named", name };
  const known = tools.map((tool) => tool.name).join(", ");
  throw invalid("function_call.name", `"${name}" is not among the functions: ${known}.`);
}

/** The id that the reply's call will have when it comes back, so that it is warmed under it. */
export function nextLegacyId(messages: readonly Message[]): string {
  const calls = messages.filter((message) => message.role === "assistant" && message.toolCalls.length > 0);
  return legacyCallId(calls.length + 1);
}
