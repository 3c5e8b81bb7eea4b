/**
 * 321 schemas in both directions, 50 values each: what a validator accepts fits the grammar, what the grammar
 * writes is valid. `WARMTURN_WRITE_RESULTS=1` writes `grammarSchemas.md`.
 */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkSchema, type SchemaCheck } from "../support/grammar/checkSchema.ts";
import { CLIENT_SCHEMAS } from "../support/grammar/clientSchemas.ts";
import type { PlainSchema } from "../support/grammar/makeInstance.ts";
import { makeSchema } from "../support/grammar/makeSchema.ts";
import { Prng } from "../support/tinyModels/Prng.ts";

const COUNT = 50;
const GENERATED = 200;

const schemas: [string, PlainSchema][] = [
  ...CLIENT_SCHEMAS,
  ...Array.from({ length: GENERATED }, (_, index): [string, PlainSchema] => {
    return [`generated ${index}`, makeSchema(new Prng(`s${index}`))];
  }),
];

test(
  "every schema, both ways",
  () => {
    const checks = new Map<string, SchemaCheck>();
    const wrong: string[] = [];
    for (const [name, schema] of schemas) {
      const check = checkSchema(schema, COUNT, name);
      checks.set(name, check);
      for (const fault of check.faults) wrong.push(`${name}: ${fault}`);
      if (check.accepted < COUNT) wrong.push(`${name}: only ${check.accepted} values were made`);
    }
    expect(wrong).toEqual([]);
    if (process.env["WARMTURN_WRITE_RESULTS"] === "1") writeResult([...checks.values()]);
  },
  20 * 60_000,
);

function writeResult(checks: readonly SchemaCheck[]): void {
  const sum = (of: (check: SchemaCheck) => number): number =>
    checks.reduce((total, check) => total + of(check), 0);
  const largest = Math.max(...checks.map((check) => check.grammarChars));
  const slowest = Math.max(...checks.map((check) => check.compileMs));
  const lines = [
    "# Schemas against a validator",
    "",
    `${CLIENT_SCHEMAS.size} schemas in the style of clients and ${GENERATED} generated ones, validator @cfworker/json-schema 4.1.6.`,
    "",
    `- ${sum((check) => check.accepted)} values that the validator accepts: all fit the grammar.`,
    `- ${sum((check) => check.sampled)} texts that the grammar wrote: all are valid.`,
    `- ${sum((check) => check.refused)} values that the validator refuses: the grammar refuses them, too.`,
    `- Largest grammar ${largest} characters, slowest compilation ${slowest.toFixed(0)} ms.`,
    "",
    "Exceptions, by design: keys come in the schema's order; what is not said is closed (keys beside `properties`, items",
    "beside a tuple); texts in which an object repeats an extra key are not asked about; numbers with bounds have no",
    "exponent; formats mean their common form; `uniqueItems`, `contains` and overlapping `oneOf` are not among these",
    "schemas, since they are not held.",
    "",
  ];
  writeFileSync(join(import.meta.dir, "grammarSchemas.md"), lines.join("\n"));
}
