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

export interface UnreadTemplate {
  readonly name: string;
  readonly problem: string;
}

/** All `.jinja` files of a folder, with the rows of its `golden.jsonl` where it has one. */
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

function checkedTemplate(name: string, source: string, golden: readonly GoldenRow[]): CheckedTemplate {
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
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (line.trim() === "") continue;
    const row = objectOf(parseJson(line));
    const template = String(row.get("template"));
    const text = row.get("text");
    const read: GoldenRow = {
      case: String(row.get("case")),
      request: objectOf(row.get("request")),
      context: objectOf(row.get("context")),
      text: typeof text === "string" ? text : undefined,
    };
    rows.set(template, [...(rows.get(template) ?? []), read]);
  }
  return rows;
}

function objectOf(value: Json | undefined): JsonObject {
  if (!isJsonObject(value)) throw new Error("golden.jsonl: a row must hold objects");
  return value;
}
