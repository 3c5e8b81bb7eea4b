/** Small templates, each about one rule of Jinja or Python, against what the reference makes of them. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseTemplate, renderTemplate } from "../../../src/jinja/renderTemplate.ts";

const TEXT = readFileSync(join(import.meta.dir, "snippets.txt"), "utf8");

function rendered(template: string): string {
  return renderTemplate(parseTemplate(template), new Map(), new Date(2026, 0, 15));
}

for (const section of TEXT.split("\n## ").slice(1)) {
  const [title = "", ...lines] = section.split("\n");
  describe(title, () => {
    for (const line of lines.filter((one) => one !== "")) {
      const [left = "", right = ""] = line.split(" => ");
      const template: string = JSON.parse(left);
      test(left, () => {
        if (right === "raises") expect(() => rendered(template)).toThrow();
        else expect(rendered(template)).toBe(JSON.parse(right));
      });
    }
  });
}

test("there are as many as there should be", () => {
  expect(TEXT.match(/ => /g)?.length).toBeGreaterThan(330);
});
