/** `POST /lora-adapters`: there are none, so none can be scaled. */
import { arrayAt, invalid, objectAt } from "../../chat/fields.ts";
import { parseBody } from "../http/parseBody.ts";

export function readScales(raw: string): object {
  const [first] = arrayAt(parseBody(raw), "body");
  if (first === undefined) return { success: true };
  objectAt(first, "[0]");
  throw invalid("[0].id", "names an adapter, and none is loaded: LoRA is not served here.");
}
