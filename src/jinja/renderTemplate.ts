/**
 * Templates as Python's Jinja renders them when `transformers` sets it up. `@huggingface/jinja` parses the syntax. The
 * rest is written by hand: its interpreter, like those of other libraries, has JavaScript's values, not Python's.
 */
import type { JsonObject } from "../json/json.ts";
import { parseSource } from "./ast.ts";
import { Budget } from "./budget.ts";
import { Frame, type Out } from "./frame.ts";
import { fromJson } from "./fromJson.ts";
import { setGlobals } from "./globals.ts";
import { block, type Run } from "./statements.ts";

export { TemplateRaised } from "./errors.ts";

/** Throws an Error where the source is no template. */
export function parseTemplate(source: string): Run {
  return block(parseSource(source));
}

/**
 * Renders with `context` as the template's variables; `today` answers `strftime_now`. Throws TemplateRaised for the
 * template's own words, and another Error for what it could not do or what would never end.
 */
export function renderTemplate(run: Run, context: JsonObject, today: Date): string {
  const globals = new Frame(new Budget());
  setGlobals(globals, today);
  const frame = globals.inner();
  // A request's variable may carry the name of a global.
  for (const [name, value] of context) frame.set(name, fromJson(value));
  const out: Out = { text: "" };
  run(frame, out);
  return out.text;
}
