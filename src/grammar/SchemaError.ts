/** A schema that cannot be held by a grammar: which keyword, where, and why. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  /** e.g. `not`. */
  readonly keyword: string;
  /** JSON pointer into the schema, e.g. `/properties/a/not`. */
  readonly path: string;
  /** What is wrong, to follow "`keyword` at path". */
  readonly why: string;

  constructor(keyword: string, path: string, why: string) {
    super(`\`${keyword}\` at ${path === "" ? "the root" : path} ${why}`);
    this.keyword = keyword;
    this.path = path;
    this.why = why;
  }
}
