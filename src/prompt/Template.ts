/** A chat template: parsed once, rendered with plain variables. What it raises is passed on to the client. */
import { AppError } from "../base/AppError.ts";
import { parseTemplate, renderTemplate, TemplateRaised } from "../jinja/renderTemplate.ts";
import type { JsonObject } from "../json/json.ts";

export class Template {
  readonly source: string;
  readonly #program: ReturnType<typeof parseTemplate>;
  readonly #today: () => Date;

  /** Throws an Error that says what is wrong with a source that does not parse. */
  constructor(source: string, today: () => Date) {
    this.source = source;
    this.#today = today;
    try {
      this.#program = parseTemplate(source);
    } catch (error) {
      throw new Error(`The chat template does not parse: ${messageOf(error)}`);
    }
  }

  /** Throws AppError("template-refused") with the template's own words, or with a sentence on what failed in it. */
  render(context: JsonObject): string {
    try {
      return renderTemplate(this.#program, context, this.#today());
    } catch (error) {
      const why = messageOf(error);
      throw new AppError(
        "template-refused",
        error instanceof TemplateRaised
          ? `The model's chat template refused these messages: ${why}`
          : `The model's chat template failed on these messages: ${why}`,
        { field: "messages" },
      );
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
