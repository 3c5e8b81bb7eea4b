/** Calls as a format spells them: what the self-test compares with the template's own render. */
import type { Json, JsonObject } from "../../json/json.ts";
import { isJsonArray, isJsonObject } from "../../json/kinds.ts";
import { writeJson } from "../../json/writeJson.ts";
import type { CallFormat, TaggedArguments } from "../CallFormat.ts";

export interface SpelledCall {
  readonly name: string;
  readonly id: string;
  readonly arguments: JsonObject;
}

export function spellCalls(format: CallFormat, calls: readonly SpelledCall[]): string {
  const each = calls.map((call, index) =>
    format.parts
      .map((part) => {
        if (typeof part === "string") return part;
        if (part.slot === "name") return call.name;
        if (part.slot === "id") return call.id;
        return part.slot === "index"
          ? String(index + (part.from ?? 0))
          : argumentsText(format, call.arguments);
      })
      .join(""),
  );
  return format.sectionStart + each.join(format.separator) + format.sectionEnd;
}

function argumentsText(format: CallFormat, args: JsonObject): string {
  const kind = format.arguments;
  switch (kind.kind) {
    case "json":
      return writeJson(args);
    case "tagged":
      return [...args].map(([key, value]) => taggedText(kind, key, value)).join(kind.separator);
    case "pythonic":
      return [...args].map(([key, value]) => `${key}=${keywordText(value)}`).join(", ");
    case "gemma":
      return gemmaMembers(args);
    case "tree":
      return [...args].map(([key, value]) => treeText(kind.mark, key, value)).join("");
  }
}

function taggedText(format: TaggedArguments, key: string, value: Json): string {
  const isText = typeof value === "string";
  const end = isText ? format.textKeyEnd : format.keyEnd;
  return (
    format.keyStart +
    key +
    end +
    (isText ? textText(format, value) : valueText(format, value)) +
    format.valueEnd
  );
}

function textText(format: TaggedArguments, value: string): string {
  if (format.texts === "json") return writeJson(value);
  return format.texts === "cdata" && /[<&\n]/.test(value) ? `<![CDATA[${value}]]>` : value;
}

function valueText(format: TaggedArguments, value: Json): string {
  if (isJsonArray(value) || isJsonObject(value)) {
    return format.nested === "json" ? writeJson(value) : pythonText(value);
  }
  return format.words === "json" ? writeJson(value) : pythonText(value);
}

/** LFM2's: strings in single quotes as they are, objects as JSON, the rest as Python prints it. */
function keywordText(value: Json): string {
  if (typeof value === "string") return `'${value}'`;
  return isJsonObject(value) ? writeJson(value) : pythonText(value);
}

/** Python's `repr`. */
function pythonText(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    const plain = value
      .replaceAll("\\", "\\\\")
      .replaceAll("\n", "\\n")
      .replaceAll("\t", "\\t")
      .replaceAll("\r", "\\r");
    return quote + (quote === "'" ? plain.replaceAll("'", "\\'") : plain) + quote;
  }
  if (isJsonArray(value)) return `[${value.map(pythonText).join(", ")}]`;
  if (!isJsonObject(value)) return value.raw;
  return `{${[...value].map(([key, item]) => `${pythonText(key)}: ${pythonText(item)}`).join(", ")}}`;
}

function gemmaMembers(value: JsonObject): string {
  const sorted = [...value].sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  return sorted.map(([key, item]) => `${key}:${gemmaText(item)}`).join(",");
}

function gemmaText(value: Json): string {
  if (typeof value === "string") return `<|"|>${value}<|"|>`;
  if (value === null) return "None";
  if (isJsonArray(value)) return `[${value.map(gemmaText).join(",")}]`;
  return isJsonObject(value) ? `{${gemmaMembers(value)}}` : writeJson(value);
}

function treeText(mark: string, key: string, value: Json): string {
  let inner: string;
  if (isJsonArray(value)) inner = value.map((item) => treeText(mark, "item", item)).join("");
  else if (isJsonObject(value)) inner = [...value].map(([name, item]) => treeText(mark, name, item)).join("");
  else inner = typeof value === "string" ? value : writeJson(value);
  return `${mark}<${key}>${inner}${mark}</${key}>`;
}
