/**
 * Schemas in both directions, a small number of values each; `test/long/grammarSchemas.test.ts` has them all.
 */
import { describe, expect, test } from "bun:test";
import { checkSchema } from "../../support/grammar/checkSchema.ts";
import { CLIENT_SCHEMAS } from "../../support/grammar/clientSchemas.ts";
import { makeSchema } from "../../support/grammar/makeSchema.ts";
import { Prng } from "../../support/tinyModels/Prng.ts";

const COUNT = 3;

describe("what the validator accepts fits, what the grammar writes is valid", () => {
  test.each([...CLIENT_SCHEMAS])("%s", (name, schema) => {
    const { faults, accepted } = checkSchema(schema, COUNT, name);
    expect(faults).toEqual([]);
    expect(accepted).toBe(COUNT);
  });

  test("generated schemas", () => {
    for (let index = 0; index < 40; index += 1) {
      const seed = `quick ${index}`;
      const { faults } = checkSchema(makeSchema(new Prng(seed)), COUNT, seed);
      expect({ seed, faults }).toEqual({ seed, faults: [] });
    }
  });
});
