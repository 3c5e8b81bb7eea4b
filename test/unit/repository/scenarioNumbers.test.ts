/** Each scenario of the study of clients (what real clients met elsewhere) has a test that begins with its number. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "../../http");

/** What each is about, so that a lack says what is missing. Numbers between were left out by the study. */
const SCENARIOS: ReadonlyMap<number, string> = new Map([
  [1, "billing lines that differ"],
  [2, "a system message in the list"],
  [3, "a token count behind every tool result"],
  [4, "count_tokens"],
  [5, "input_tokens in message_start"],
  [7, "reasoning, then text"],
  [8, "thinking and tools in turns"],
  [10, "real tools' schemas"],
  [11, "a response_format that cannot be read"],
  [12, "Codex's tools"],
  [14, "streams that always end"],
  [15, "developer messages"],
  [16, "templates without a system role"],
  [18, "names of reasoning"],
  [19, "messages without text"],
  [20, "clients that leave"],
  [21, "five minutes without a word"],
  [23, "chat_template_kwargs"],
  [24, "prompts that are too long"],
  [26, "reasoning that did not come back"],
  [27, "dropped reasoning on a hybrid model"],
  [29, "a fresh chat under a known head"],
  [30, "a sliding window in an agent's loop"],
  [31, "side requests between turns"],
  [32, "a timestamp in the system prompt"],
  [34, "long calls"],
]);

function numbersIn(source: string): number[] {
  return [...source.matchAll(/\btest(?:\.each\([^)]*\))?\(\s*["'`](\d+): /g)].map(([, number]) =>
    Number(number),
  );
}

test("every number has a test, and no test another number", () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith("Scenarios.test.ts"));
  const found = new Set(files.flatMap((name) => numbersIn(readFileSync(join(FOLDER, name), "utf8"))));
  const missing = [...SCENARIOS].filter(([number]) => !found.has(number)).map((entry) => entry.join(": "));
  expect(missing).toEqual([]);
  expect([...found].filter((number) => !SCENARIOS.has(number))).toEqual([]);
});
