/** `response_format`, and llama-server's `json_schema`: what the answer's text has to be. */
import { invalid, kindOf, objectAt, textAt } from "../../chat/fields.ts";
import type { TextSchema } from "../../chat/Message.ts";
import type { Json, JsonObject } from "../../json/json.ts";
import { isJsonObject } from "../../json/kinds.ts";
import type { RequestFields } from "./RequestFields.ts";

/** The schema of `json_object`. */
export const ANY_OBJECT: Json = new Map([["type", "object"]]);

export function readTextSchema(fields: RequestFields): TextSchema | undefined {
  const schema = fields.get("json_schema");
  const format = fields.get("response_format");
  const textSchema = format === undefined ? undefined : formatOf(objectAt(format, "response_format"));
  if (schema === undefined) return textSchema;
  if (textSchema !== undefined) throw invalid("json_schema", "cannot be combined with a response_format.");
  return { schema: schemaAt(schema, "json_schema"), strict: false, field: "json_schema" };
}

function formatOf(format: JsonObject): TextSchema | undefined {
  const type = textAt(format.get("type"), "response_format.type");
  if (type === "text") return undefined;
  if (type === "json_object") {
    // llama-server takes a schema here, too.
    const schema = format.get("schema") ?? ANY_OBJECT;
    return {
      schema: schemaAt(schema, "response_format.schema"),
      strict: false,
      field: "response_format.schema",
    };
  }
  if (type !== "json_schema") {
    throw invalid("response_format.type", 'must be "text", "json_object" or "json_schema".');
  }
  const at = "response_format.json_schema";
  // As llama-server's documentation has it: {"type": "json_schema", "schema": …}.
  if (format.get("json_schema") === undefined && format.get("schema") !== undefined) {
    return namedSchema(format, "response_format");
  }
  return namedSchema(objectAt(format.get("json_schema"), at), at);
}

/** `{name, strict, schema}`, at `at`. */
export function namedSchema(named: JsonObject, at: string): TextSchema {
  const strict = named.get("strict");
  if (strict !== undefined && strict !== null && typeof strict !== "boolean") {
    throw invalid(`${at}.strict`, `must be true or false, not ${kindOf(strict)}.`);
  }
  const schema = named.get("schema");
  if (schema === undefined || schema === null) throw invalid(`${at}.schema`, "is missing.");
  return { schema: schemaAt(schema, `${at}.schema`), strict: strict === true, field: `${at}.schema` };
}

function schemaAt(schema: Json, field: string): Json {
  if (typeof schema !== "boolean" && !isJsonObject(schema)) {
    throw invalid(field, `must be a JSON Schema, not ${kindOf(schema)}.`);
  }
  return schema;
}
