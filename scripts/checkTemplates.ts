/**
 * `bun run check:templates DIR`: every chat template of a folder, one row each. Renders are compared with the
 * folder's `golden.jsonl` where it has one. Exit 1 if anything fails that is not on the documented list
 * (`test/support/templateCheck/documented.json`), 2 where there is nothing to check.
 */
import { existsSync } from "node:fs";
import {
  type CheckedTemplate,
  readTemplates,
  UnreadGolden,
} from "../test/support/templateCheck/CheckedTemplate.ts";
import { contextColumn, requestColumn } from "../test/support/templateCheck/goldenColumns.ts";
import { keptColumn, predictionColumn } from "../test/support/templateCheck/predictionColumns.ts";
import { replyColumn } from "../test/support/templateCheck/replyColumn.ts";
import { safetyColumn } from "../test/support/templateCheck/safetyColumn.ts";
import type { TemplateColumn, Verdict } from "../test/support/templateCheck/TemplateColumn.ts";

const COLUMNS: readonly TemplateColumn[] = [
  contextColumn,
  requestColumn,
  safetyColumn,
  predictionColumn,
  keptColumn,
  replyColumn,
];
/** Problems of one template that are printed. */
const PROBLEMS_SHOWN = 5;

const folder = process.argv[2];
if (folder === undefined || !existsSync(folder)) {
  console.error(
    folder === undefined ? "Usage: bun run check:templates DIR" : `There is no folder ${folder}.`,
  );
  process.exit(2);
}
const templates = read(folder);
if (templates.length === 0) {
  console.error(`${folder} holds no .jinja files.`);
  process.exit(2);
}

const width = Math.max(...templates.map(({ name }) => name.length));
const totals = COLUMNS.map((): Verdict => ({ good: 0, of: 0, documented: 0, problems: [] }));
let failed = 0;
console.log(
  row(
    "template",
    COLUMNS.map(({ title }) => title),
  ),
);
for (const template of templates) {
  if ("problem" in template) {
    failed++;
    console.log(row(template.name, [template.problem]));
    continue;
  }
  const verdicts = COLUMNS.map((column) => column.check(template));
  report(template, verdicts);
}
console.log(row(`${templates.length} templates, ${failed} failed`, totals.map(cell)));
process.exit(failed === 0 ? 0 : 1);

function read(path: string): ReturnType<typeof readTemplates> {
  try {
    return readTemplates(path);
  } catch (error) {
    if (!(error instanceof UnreadGolden)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

function report(template: CheckedTemplate, verdicts: readonly Verdict[]): void {
  console.log(row(template.name, verdicts.map(cell)));
  const problems = verdicts.flatMap(({ problems }, i) =>
    problems.map((one) => `${COLUMNS[i]?.title}: ${one}`),
  );
  for (const problem of problems.slice(0, PROBLEMS_SHOWN)) console.log(`    ${problem}`);
  if (problems.length > PROBLEMS_SHOWN) console.log(`    and ${problems.length - PROBLEMS_SHOWN} more`);
  if (problems.length > 0) failed++;
  for (const [i, verdict] of verdicts.entries()) {
    const sum = totals[i];
    if (sum === undefined) continue;
    totals[i] = {
      good: sum.good + verdict.good,
      of: sum.of + verdict.of,
      documented: sum.documented + verdict.documented,
      problems: [],
      ...(verdict.beyond === undefined ? {} : { beyond: (sum.beyond ?? 0) + verdict.beyond }),
    };
  }
}

function cell({ good, of, documented, beyond, note }: Verdict): string {
  const parts = [
    `${good}/${of}`,
    ...(documented > 0 ? [`+${documented} documented`] : []),
    ...(beyond === undefined ? [] : [`beyond ${beyond}`]),
    ...(note === undefined ? [] : [note]),
  ];
  return parts.join(" ");
}

function row(name: string, cells: readonly string[]): string {
  return [name.padEnd(width), ...cells.map((one) => one.padEnd(22))].join("  ").trimEnd();
}
