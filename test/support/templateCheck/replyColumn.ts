/**
 * Is the reply format understood? Calls that inference has not seen (one, with nested arguments, two) are read
 * from the template's own render. `exact` are those that the format also spells byte for byte. The note says how
 * the format was found, each of the three, and what opens and closes reasoning.
 */
import type { TemplateColumn } from "./TemplateColumn.ts";

export const replyColumn: TemplateColumn = {
  title: "replies",
  check: ({ prompter }) => {
    const { how, format, test } = prompter.dialect.reply;
    const { oneCall, nestedArguments, twoCalls } = test();
    const verdicts = [oneCall, nestedArguments, twoCalls];
    const rendered = verdicts.filter((verdict) => verdict !== "none");
    const read = rendered.filter((verdict) => verdict !== "fails");
    const { reasoning } = format;
    const tags =
      reasoning === null ? "no reasoning" : `${visible(reasoning.start)} … ${visible(reasoning.end)}`;
    const names = ["one call", "nested arguments", "two calls"];
    return {
      good: read.length,
      of: rendered.length,
      documented: 0,
      problems: names.filter((_, i) => verdicts[i] === "fails").map((name) => `${name}: not read back`),
      note: `${how}: ${verdicts.join("/")}; ${tags}`,
    };
  },
};

function visible(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
