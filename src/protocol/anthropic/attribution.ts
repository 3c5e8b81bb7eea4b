/**
 * Claude Code puts a billing line into its system prompt (`x-anthropic-billing-header: cc_version=…; cch=…;`). It
 * says nothing to the model, and its hashes change with requests, subagents and compaction: every change would
 * cost the whole prompt. The line is dropped for cold and warm alike.
 */
const MARK = "x-anthropic-billing-header:";

/** The text without such lines at its beginning; as a block of its own, nothing is left. */
export function withoutAttribution(text: string): string {
  let rest = text;
  for (;;) {
    const body = rest.trimStart();
    if (!body.startsWith(MARK)) return rest;
    const end = body.indexOf("\n");
    rest = end < 0 ? "" : body.slice(end + 1);
  }
}
