/** All renders of ../shared/templates, from the reference's contexts and from clients' requests. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readTemplates } from "../../support/templateCheck/CheckedTemplate.ts";
import { contextColumn, requestColumn } from "../../support/templateCheck/goldenColumns.ts";

const FOLDER = join(import.meta.dir, "../../../../shared/templates");
const present = existsSync(join(FOLDER, "golden.jsonl"));
if (!present) console.warn("SKIPPED: golden renders: there is no ../shared/templates/golden.jsonl");

describe.skipIf(!present)("golden renders", () => {
  const templates = present ? readTemplates(FOLDER) : [];
  test.each(templates.map((template) => [template.name, template] as const))("%s", (_, template) => {
    if ("problem" in template) throw new Error(template.problem);
    for (const column of [contextColumn, requestColumn]) {
      const { good, documented, of, problems } = column.check(template);
      expect(problems).toEqual([]);
      expect(good + documented).toBe(of);
      expect(of).toBeGreaterThan(10);
    }
  });
});
