/** Strings that end a reply: one, or a list with its limits. */

import type { Limits } from "../../base/limits.ts";
import { invalid, kindOf } from "../../chat/fields.ts";
import type { Json } from "../../json/json.ts";
import { isJsonArray } from "../../json/kinds.ts";

export function stopStrings(value: Json | undefined, field: string, limits: Limits): readonly string[] {
  if (value === undefined) return [];
  const list = isJsonArray(value) ? value : [value];
  if (list.length > limits.stopStringsMax) {
    throw invalid(field, `holds ${list.length} strings; at most ${limits.stopStringsMax} are allowed.`);
  }
  return list.map((item, index) => {
    const at = isJsonArray(value) ? `${field}[${index}]` : field;
    if (typeof item !== "string") throw invalid(at, `must be a string, not ${kindOf(item)}.`);
    if (item.length > limits.stopCharsMax) {
      throw invalid(at, `holds ${item.length} characters; at most ${limits.stopCharsMax} are allowed.`);
    }
    return item;
  });
}
