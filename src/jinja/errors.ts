/** Why a render failed: what the template raised itself, what its code could not do, or a budget's end. */

/** Thrown by a template's own `raise_exception`. */
export class TemplateRaised extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TemplateRaised";
  }
}

/** What Python or Jinja would have raised, in their words. */
export class TemplateFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TemplateFault";
  }
}

export function wrong(message: string): TemplateFault {
  return new TemplateFault(message);
}
