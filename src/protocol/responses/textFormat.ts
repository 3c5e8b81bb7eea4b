/** `text.format`: what the answer's text has to be. */
import { invalid, kindOf, objectAt } from "../../chat/fields.ts";
import type { TextSchema } from "../../chat/Message.ts";
import type { Json } from "../../json/json.ts";
import { ANY_OBJECT, namedSchema } from "../shared/responseFormat.ts";

export function readTextFormat(text: Json | undefined): TextSchema | undefined {
  const at = "text.format";
  const sent = text === undefined ? undefined : (objectAt(text, "text").get("format") ?? undefined);
  if (sent === undefined) return undefined;
  const format = objectAt(sent, at);
  const type = format.get("type");
  if (type === "text") return undefined;
  if (type === "json_object") return { schema: ANY_OBJECT, strict: false, field: at };
  if (type === "json_schema") return namedSchema(format, at);
  const said = typeof type === "string" ? `"${type}"` : kindOf(type);
  throw invalid(`${at}.type`, `must be "text", "json_object" or "json_schema", not ${said}.`);
}
