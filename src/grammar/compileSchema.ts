/** Adds a JSON Schema's rules to a grammar. */
import type { Json } from "../json/json.ts";
import type { Gbnf } from "./Gbnf.ts";
import { SchemaCompiler } from "./SchemaCompiler.ts";
import { SchemaError } from "./SchemaError.ts";
import { type Relaxation, SchemaRoot } from "./SchemaRoot.ts";

export interface CompiledSchema {
  /** Name of the rule that a value of this schema matches. */
  readonly rule: string;
  /** Keywords that the grammar does not hold, though it holds all the others. */
  readonly relaxed: readonly Relaxation[];
}

/** Throws SchemaError, which names keyword and path; the grammar may then hold rules that nothing uses. */
export function compileSchema(schema: Json, gbnf: Gbnf): CompiledSchema {
  const root = new SchemaRoot(schema);
  const rule = new SchemaCompiler(gbnf, root).rule([{ json: schema, path: "" }], "root");
  if (rule === null) throw new SchemaError("schema", "", "allows no value");
  return { rule, relaxed: root.relaxed };
}
