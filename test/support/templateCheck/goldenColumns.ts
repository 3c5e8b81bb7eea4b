/** Are renders byte-equal to the reference: from its own context, and from the request by the host adapter? */
import { canonicalMessages, canonicalTools } from "../../../src/chat/canonical.ts";
import type { PromptInput } from "../../../src/chat/Message.ts";
import type { Json } from "../../../src/json/json.ts";
import { hostContext } from "../../../src/prompt/hostContext.ts";
import { NO_MASK } from "../../../src/prompt/learn/trialMessages.ts";
import { Template } from "../../../src/prompt/Template.ts";
import { type CheckedTemplate, type GoldenRow, TODAY } from "./CheckedTemplate.ts";
import documented from "./documented.json";
import { firstDifference, type TemplateColumn, type Verdict, wordsOf } from "./TemplateColumn.ts";
import { BOS, EOS } from "./templateVocab.ts";

export const contextColumn: TemplateColumn = {
  title: "context",
  check: (template) => {
    const engine = new Template(template.source, () => TODAY);
    return compared(template, (row) => engine.render(row.context));
  },
};

export const requestColumn: TemplateColumn = {
  title: "request",
  check: (template) =>
    compared(
      template,
      (row) => template.prompter.text(inputOf(row), { addGenerationPrompt: generationOf(row) }),
      (row) => withoutAdditions(template, row),
    ),
};

/**
 * Rows that the reference refuses are no rows. `plainly` renders without what the host adds on purpose; a
 * documented row must be equal then.
 */
function compared(
  template: CheckedTemplate,
  render: (row: GoldenRow) => string,
  plainly?: (row: GoldenRow) => string,
): Verdict {
  let good = 0;
  let listed = 0;
  const problems: string[] = [];
  const rows = template.golden.filter((row) => row.text !== undefined);
  for (const row of rows) {
    const wanted = row.text ?? "";
    try {
      const got = render(row);
      if (got === wanted) good++;
      else if (plainly !== undefined && isDocumented(template.hash, row.case) && plainly(row) === wanted)
        listed++;
      else problems.push(`${row.case}: ${firstDifference(got, wanted)}`);
    } catch (error) {
      problems.push(`${row.case}: ${wordsOf(error)}`);
    }
  }
  return { good, of: rows.length, documented: listed, problems };
}

/** By what the template says, never by its name. */
function isDocumented(hash: string, name: string): boolean {
  return documented.request.some((entry) => entry.template === hash && entry.cases.includes(name));
}

/** As the request says it: without `enable_thinking` where it has none, though the server always gives it. */
function inputOf(row: GoldenRow): PromptInput {
  const tools = canonicalTools(row.request.get("tools") ?? null);
  const kwargs = new Map<string, Json>();
  const thinking = row.request.get("enable_thinking");
  if (thinking !== undefined) kwargs.set("enable_thinking", thinking);
  return { messages: canonicalMessages(row.request.get("messages") ?? null, tools), tools, kwargs };
}

function generationOf(row: GoldenRow): boolean {
  return row.request.get("add_generation_prompt") === true;
}

/** Calls and results left to the template, which drops them. */
function withoutAdditions(template: CheckedTemplate, row: GoldenRow): string {
  const caps = { ...template.prompter.dialect.caps, calls: "rendered" as const, toolRole: true };
  const settings = { bosText: BOS, eosText: EOS, echoTags: new Set<string>(), today: () => TODAY };
  const context = hostContext(inputOf(row), generationOf(row), caps, settings, NO_MASK);
  return new Template(template.source, () => TODAY).render(context);
}
