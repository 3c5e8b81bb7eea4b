/** A template file with what its checks need. Its name is printed and decides nothing. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject } from "../../../src/json/json.ts";
import { isJsonObject } from "../../../src/json/kinds.ts";
import { parseJson } from "../../../src/json/parseJson.ts";
import { Prompter } from "../../../src/prompt/Prompter.ts";
import type { FakeVocab } from "../FakeVocab.ts";
import { templateVocab } from "./templateVocab.ts";

/** One row of `golden.jsonl`: what a client sends, what the template was given, what the reference rendered. */
export interface GoldenRow {
  readonly case: string;
  readonly request: JsonObject;
  readonly context: JsonObject;
  /** Undefined where the reference refuses. */
  readonly text: string | undefined;
}

export interface CheckedTemplate {
  readonly name: string;
  readonly source: string;
  /** First 16 hexadecimal digits of the source's SHA-256. */
  readonly hash: string;
  readonly golden: readonly GoldenRow[];
  readonly vocab: FakeVocab;
  readonly prompter: Prompter;
}

/** The clock of the golden renders. */
export const TODAY = new Date(2026, 0, 15, 12);

/** The message is one sentence that names the line of `golden.jsonl`. */
export class UnreadGolden extends Error {}

export interface UnreadTemplate {
  readonly name: string;
  readonly problem: string;
}

/** All `.jinja` files of a folder, with the rows of its `golden.jsonl` where it has one; throws UnreadGolden. */
export function readTemplates(folder: string): (CheckedTemplate | UnreadTemplate)[] {
  const rows = goldenRows(join(folder, "golden.jsonl"));
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".jinja"))
    .sort();
  return files.map((file) => {
    const name = file.slice(0, -".jinja".length);
    try {
      return checkedTemplate(name, readFileSync(join(folder, file), "utf8"), rows.get(name) ?? []);
    } catch (error) {
      return { name, problem: error instanceof Error ? error.message : String(error) };
    }
  });
}

export function checkedTemplate(
  name: string,
  source: string,
  golden: readonly GoldenRow[] = [],
): CheckedTemplate {
  const vocab = templateVocab(source);
  const hash = new Bun.CryptoHasher("sha256").update(source).digest("hex").slice(0, 16);
  return {
    name,
    source,
    hash,
    golden,
    vocab,
    prompter: new Prompter({ template: source, vocab, today: () => TODAY }),
  };
}

function goldenRows(path: string): Map<string, GoldenRow[]> {
  const rows = new Map<string, GoldenRow[]>();
  if (!existsSync(path)) return rows;
  for (const [index, line] of readFileSync(path, "utf8").split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      const [template, row] = goldenRow(parseJson(line));
      rows.set(template, [...(rows.get(template) ?? []), row]);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new UnreadGolden(`golden.jsonl, line ${index + 1}: ${why}`);
    }
  }
  return rows;
}

function goldenRow(line: Json): [template: string, GoldenRow] {
  const row = objectOf(line, "a row");
  const text = row.get("text") ?? null;
  if (text !== null && typeof text !== "string") throw new Error("text is neither a string nor null.");
  return [
    wordOf(row, "template"),
    {
      case: wordOf(row, "case"),
      request: objectOf(row.get("request"), "request"),
      context: objectOf(row.get("context"), "context"),
      text: text ?? undefined,
    },
  ];
}

function wordOf(row: JsonObject, name: string): string {
  const value = row.get(name);
  if (typeof value !== "string") throw new Error(`${name} is no string.`);
  return value;
}

function objectOf(value: Json | undefined, name: string): JsonObject {
  if (!isJsonObject(value)) throw new Error(`${name} is no object.`);
  return value;
}
