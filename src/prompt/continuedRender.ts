/**
 * A render that ends inside its last message, so that the model goes on with it: the message is rendered with a
 * mark behind its text, and everything from the mark on (what closes a message) is cut off.
 */

import { AppError } from "../base/AppError.ts";
import type { ContinuedPart } from "../chat/continuation.ts";
import type { PromptInput } from "../chat/Message.ts";
import { stringsOf } from "./hostContext.ts";

/** `unmask` gives back the client's own text. Throws AppError("prefill-unsupported"). */
export function continuedRender(
  input: PromptInput,
  part: ContinuedPart,
  render: (input: PromptInput) => string,
  unmask: (text: string) => string,
): string {
  const last = input.messages.at(-1);
  if (last?.role !== "assistant") throw unsupported("the last message is not the assistant's");
  const mark = unusedMark(input);
  const text = part === "text" ? last.content : last.reasoning;
  const marked = { ...last, [part === "text" ? "content" : "reasoning"]: text + mark };
  let rendered: string;
  try {
    rendered = render({ ...input, messages: [...input.messages.slice(0, -1), marked] });
  } catch (error) {
    throw unsupported(error instanceof Error ? error.message : String(error));
  }
  const at = rendered.indexOf(mark);
  if (at < 0 || rendered.includes(mark, at + 1)) throw unsupported("it does not print that text as it is");
  const before = rendered.slice(0, at);
  // A template that trims may do so at the start; an escaped or rewritten text cannot be gone on with.
  if (!unmask(before).endsWith(text.slice(-TAIL_CHARS).trimStart())) {
    throw unsupported("it writes that text in another form");
  }
  return before;
}

/** Enough to tell the text from an escaped one. */
const TAIL_CHARS = 64;

function unusedMark(input: PromptInput): string {
  const strings = [...stringsOf(input)];
  for (let n = 0; ; n += 1) {
    const mark = `wtcontinued${n}wt`;
    if (!strings.some((text) => text.includes(mark))) return mark;
  }
}

function unsupported(why: string): AppError {
  return new AppError(
    "prefill-unsupported",
    `This model's chat template cannot go on with an assistant message at the end: ${why}`,
    { field: "messages" },
  );
}
