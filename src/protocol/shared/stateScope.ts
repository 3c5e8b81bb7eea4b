/** With whom a request shares kept states, as far as its body says. */
import type { StateScope } from "../../serve/StateScope.ts";
import type { RequestFields } from "./RequestFields.ts";

export function readStateScope(fields: RequestFields): StateScope {
  return { salt: fields.text("cache_salt") ?? "", promptKey: fields.text("prompt_cache_key") ?? "" };
}
