/**
 * Claude Code puts a billing line into its system prompt (`x-anthropic-billing-header: cc_version=…; cch=…;`). It
 * says nothing to the model, and its hashes change with requests, subagents and compaction: every change would
 * cost the whole prompt. The line is dropped for cold and warm alike, wherever it stands.
 */
const MARK = "x-anthropic-billing-header:";

/** The text without such lines, and without blank ones in front of a first such line. */
export function withoutAttribution(text: string): string {
  if (!text.includes(MARK)) return text;
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  const from = isAttribution(lines[first]) ? first : 0;
  return lines
    .slice(from)
    .filter((line) => !isAttribution(line))
    .join("\n");
}

function isAttribution(line: string | undefined): boolean {
  return line?.trimStart().startsWith(MARK) ?? false;
}
