/** A grammar of the client's own holds the whole reply: nothing else may ask for a form of it. */
import { invalid } from "../../chat/fields.ts";
import type { TextSchema, ToolChoice } from "../../chat/Message.ts";
import type { Sampling } from "../../run/RunSpec.ts";

/** `schemaFields`: what the protocol calls a schema of the text. Throws AppError. */
export function checkGrammar(
  { grammar }: Sampling,
  textSchema: TextSchema | undefined,
  schemaFields: string,
  toolChoice: ToolChoice = { type: "auto" },
): void {
  if (grammar === undefined) return;
  if (textSchema !== undefined) throw invalid("grammar", `cannot be combined with ${schemaFields}.`);
  if (toolChoice.type === "required" || toolChoice.type === "named") {
    throw invalid("grammar", "cannot be combined with a tool_choice that forces a call.");
  }
}
