/** Adds a JSON Schema's rules to a grammar. */
import type { Json } from "../json/json.ts";
import type { Gbnf } from "./Gbnf.ts";
import { SchemaCompiler } from "./SchemaCompiler.ts";
import { SchemaError } from "./SchemaError.ts";
import { type Relaxation, SchemaRoot } from "./SchemaRoot.ts";
import { DfaTooLarge, withinWork } from "./Work.ts";

export interface CompiledSchema {
  /** Name of the rule that a value of this schema matches. */
  readonly rule: string;
  /** Keywords that the grammar does not hold, though it holds all the others. */
  readonly relaxed: readonly Relaxation[];
}

/** Throws SchemaError, which names keyword and path; the grammar may then hold rules that nothing uses. */
export function compileSchema(schema: Json, gbnf: Gbnf): CompiledSchema {
  const root = new SchemaRoot(schema);
  const rule = withinWork(() => ruleOf(schema, gbnf, root));
  if (rule === null) throw new SchemaError("schema", "", "allows no value");
  return { rule, relaxed: root.relaxed };
}

/** Some automata are made of a whole schema's texts (an enum, the keys of an object): then no keyword is named. */
function ruleOf(schema: Json, gbnf: Gbnf, root: SchemaRoot): string | null {
  try {
    return new SchemaCompiler(gbnf, root).rule([{ json: schema, path: "" }], "root");
  } catch (error) {
    if (error instanceof DfaTooLarge) throw new SchemaError("schema", "", error.message);
    throw error;
  }
}
