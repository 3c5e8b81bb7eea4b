/**
 * `bun run check:parser PATH`: the cases of llama.cpp's own parser tests, read from a checkout at PATH, through our
 * parser, whole and byte by byte. Writes `test/long/testChat.md`: counts, and a reason for each difference that we
 * chose; no text of theirs. Exit 1 if a case differs without one, 2 where there is nothing to check.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type ParserCase, readCases } from "../test/support/parserCases/readCases.ts";
import { REASONS } from "../test/support/parserCases/reasons.ts";
import { type CaseResult, prompterOf, runCase } from "../test/support/parserCases/runCase.ts";

const RESULT = join(import.meta.dir, "../test/long/testChat.md");
const TESTS = "tests/test-chat.cpp";
const COLUMNS = ["equal", "edges", "chosen", "different", "other"] as const;

const folder = process.argv[2];
if (folder === undefined || !existsSync(join(folder, TESTS))) {
  console.error(
    folder === undefined ? "Usage: bun run check:parser PATH" : `There is no ${TESTS} in ${folder}.`,
  );
  process.exit(2);
}
const cases = readCases(readFileSync(join(folder, TESTS), "utf8"));
const byTemplate = Map.groupBy(cases, ({ template }) => template);
const counts = new Map<string, Record<(typeof COLUMNS)[number], number>>();
const chosen: { readonly id: string; readonly name: string }[] = [];
for (const [template, own] of byTemplate) {
  const prompter = prompterOf(
    readFileSync(join(folder, template), "utf8"),
    own.map(({ input }) => input),
  );
  const row = { equal: 0, edges: 0, chosen: 0, different: 0, other: 0 };
  const name = basename(template, ".jinja");
  for (const one of own) {
    const result = runCase(one, prompter);
    const isChosen = result.verdict === "different" && REASONS[result.id] !== undefined;
    row[isChosen ? "chosen" : result.verdict] += 1;
    if (isChosen) chosen.push({ id: result.id, name });
    else if (result.verdict === "different") tell(one, result);
  }
  counts.set(name, row);
}
const total = (column: (typeof COLUMNS)[number]) =>
  [...counts.values()].reduce((sum, row) => sum + row[column], 0);
writeFileSync(RESULT, report());
console.log(
  `${cases.length} cases of ${byTemplate.size} templates: ${COLUMNS.map((one) => `${total(one)} ${one}`).join(", ")}.`,
);
process.exit(total("different") === 0 ? 0 : 1);

function tell(one: ParserCase, { id, ours }: CaseResult): void {
  console.log(`${id} ${one.template}`);
  console.log(`  reply  ${JSON.stringify(one.input)}`);
  console.log(`  theirs ${JSON.stringify(one.expected)}`);
  console.log(`  ours   ${JSON.stringify(ours)}`);
}

function report(): string {
  const rows = [...counts].map(([name, row]) => [name, ...COLUMNS.map((one) => row[one] || "")]);
  const lines = [
    ["template", ...COLUMNS],
    ["---", ...COLUMNS.map(() => "--:")],
    ...rows,
    ["**all**", ...COLUMNS.map(total)],
  ];
  return `# llama.cpp's parser cases

Written by \`bun run check:parser PATH\`, which reads them from a checkout of llama.cpp (last run: the version of
\`node-llama-cpp\` 3.21.1). Each raw reply goes through our parser whole and byte by byte, with its template.

\`equal\`: the same reasoning, text and calls. \`edges\`: but for white space at the ends of texts, which we never give.
\`chosen\`: another result, on purpose. \`different\`: ours to mend. \`other\`: the case asks for reasoning inside the text,
which is no way of ours.

${lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}

## Chosen

${chosen.map(({ id, name }) => `- \`${id}\` (${name}): ${REASONS[id]}`).join("\n")}
`;
}
