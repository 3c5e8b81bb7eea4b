/** One column of `check:templates`. Another is added to the list in `scripts/checkTemplates.ts`. */
import type { CheckedTemplate } from "./CheckedTemplate.ts";

export interface TemplateColumn {
  readonly title: string;
  check(template: CheckedTemplate): Verdict;
}

export interface Verdict {
  readonly good: number;
  readonly of: number;
  /** Of those that are not good, how many are on the documented list and differ in no other way. */
  readonly documented: number;
  /** One line each, for what is neither. */
  readonly problems: readonly string[];
  /** Tokens that are prefilled again though they could be known. */
  readonly beyond?: number;
  /** Printed behind the counts. */
  readonly note?: string;
}

/** Where two texts part, with a little around it. */
export function firstDifference(got: string, wanted: string): string {
  let at = 0;
  while (at < got.length && at < wanted.length && got[at] === wanted[at]) at++;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 30), at + 50));
  return `at ${at}: ${around(got)}, the reference has ${around(wanted)}`;
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
