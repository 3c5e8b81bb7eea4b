/** Calls as their family spells them, of the named tools, with arguments by each tool's own schema. */
import type { CallFormat, CallPart } from "../chat/CallFormat.ts";
import type { Tool } from "../chat/Message.ts";
import { type Gbnf, literal } from "../grammar/Gbnf.ts";
import { jsonRule } from "../grammar/jsonRules.ts";
import { SchemaError } from "../grammar/SchemaError.ts";
import { withinWork } from "../grammar/Work.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { isJsonObject } from "../json/kinds.ts";
import { anyArguments, argumentRules } from "./argumentRules.ts";

/** Of a tool without parameters: a model that may write any invents some. */
const NO_ARGUMENTS: Json = new Map<string, Json>([
  ["type", "object"],
  ["properties", new Map()],
  ["additionalProperties", false],
]);

/** The body of one call or, where allowed, several. A schema that cannot be held is told to `warn`. */
export function callsBody(
  gbnf: Gbnf,
  format: CallFormat,
  tools: readonly Tool[],
  parallel: boolean,
  warn: (message: string) => void,
): string {
  // All of a request's tools share what one schema may cost.
  const calls = withinWork(() => tools.map((tool) => callBody(gbnf, format, tool, warn)));
  const call = gbnf.rule("call", calls.join(" | "));
  const more = parallel && format.several ? ` (${spelt(gbnf, format, format.separator)} ${call})*` : "";
  return `${spelt(gbnf, format, format.sectionStart)} ${call}${more} ${spelt(gbnf, format, format.sectionEnd)}`.trim();
}

function callBody(gbnf: Gbnf, format: CallFormat, tool: Tool, warn: (message: string) => void): string {
  const args = argumentsBody(gbnf, format, tool, warn);
  const body = format.parts.map((part) => {
    if (typeof part === "string") return spelt(gbnf, format, part);
    return part.slot === "arguments" ? args : slotBody(format, part, tool.name);
  });
  return body.join(" ");
}

/** By the schema, as far as a grammar can hold it. */
function argumentsBody(gbnf: Gbnf, format: CallFormat, tool: Tool, warn: (message: string) => void): string {
  const isFree = (error: SchemaError, others = 0) => {
    const more = others === 0 ? "" : `, and ${others} more`;
    warn(`The arguments of ${tool.name} are not held to their schema: ${error.message}${more}.`);
  };
  try {
    const { body, refused } = argumentRules(gbnf, format.arguments, parametersOf(tool));
    const [first] = refused;
    if (first !== undefined) isFree(first, refused.length - 1);
    return body;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    isFree(error);
    return anyArguments(gbnf, format.arguments);
  }
}

function parametersOf({ definition }: Tool): Json {
  const body = definition.get("function");
  const parameters = isJsonObject(body) ? body.get("parameters") : undefined;
  return isJsonObject(parameters) && !isBare(parameters) ? parameters : NO_ARGUMENTS;
}

/** Says nothing but that there are no properties: what else stands in it speaks of some. */
function isBare(schema: JsonObject): boolean {
  const properties = schema.get("properties");
  const says = [...schema.keys()].filter((key) => !SILENT.has(key));
  if (says.length > 0) return false;
  return schema.size === 0 || (isJsonObject(properties) && properties.size === 0);
}

const SILENT: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "title",
  "description",
  "$schema",
]);

function slotBody(format: CallFormat, part: Exclude<CallPart, string>, name: string): string {
  if (part.slot === "name")
    return literal(format.shape === "json" ? JSON.stringify(name).slice(1, -1) : name);
  return part.slot === "id" ? "[a-zA-Z0-9]{9}" : "[0-9]{1,3}";
}

/** In JSON white space is the model's to choose. */
function spelt(gbnf: Gbnf, format: CallFormat, text: string): string {
  if (text === "") return "";
  if (format.shape !== "json") return literal(text);
  const ws = jsonRule(gbnf, "ws");
  const pieces = text.split(/(\s+)/).map((piece) => {
    if (piece.trim() !== "" || piece === "") return piece === "" ? "" : literal(piece);
    // More than JSON has is the family's own.
    return /^(?: |\n[ \t]{0,20})$/.test(piece) ? ws : `(${literal(piece)} | ${ws})`;
  });
  return pieces.filter((piece) => piece !== "").join(" ");
}

/** The text that starts a call: a grammar that waits for calls begins there. Null where nothing marks one. */
export function callMark(format: CallFormat, isChannel: boolean): string | null {
  const [first] = format.parts;
  const opening = format.sectionStart.trim() || (typeof first === "string" ? first.trim() : "");
  if (isChannel || format.sectionStart.trim() !== "") return opening === "" ? null : opening;
  return /^[^\s{]+/.exec(opening)?.[0] ?? (opening === "" ? null : opening);
}
