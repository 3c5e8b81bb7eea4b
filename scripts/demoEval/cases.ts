/** What the demo model is measured on: generated conversations that training never saw, and calls written by hand. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "../../models/demo");

export type Call = readonly [name: string, args: Readonly<Record<string, string | number>>];

/** One message with calls, and what the tools answer. */
export interface Round {
  readonly calls: readonly Call[];
  readonly results: readonly string[];
}

export interface CaseTurn {
  readonly kind: string;
  readonly user: string;
  readonly steps: readonly Round[];
  readonly reply: string;
  /** Each must stand in the answer. Of a file: the value asked for, or its text. */
  readonly values: readonly string[];
}

export interface Case {
  readonly system: string | null;
  readonly tools: readonly (readonly [name: string, args: readonly string[]])[];
  readonly turns: readonly CaseTurn[];
}

interface HandLine {
  readonly user: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
}

const TOOLS: Case["tools"] = [
  ["get_weather", ["city"]],
  ["search_files", ["query"]],
  ["read_file", ["path"]],
  ["set_reminder", ["text", "when"]],
  ["calculate", ["expression"]],
  ["find_contact", ["name"]],
  ["send_message", ["to", "text"]],
];

function lines<T>(name: string): T[] {
  const text = readFileSync(join(FOLDER, name), "utf8").trim();
  return text.split("\n").map((line) => JSON.parse(line) as T);
}

export function generatedCases(countMax: number): Case[] {
  return lines<Case>("eval.jsonl").slice(0, countMax);
}

/** Real words from outside the generator, one call each; no result is given, so no answer is asked for. */
export function handCases(): Case[] {
  return lines<HandLine>("hand.jsonl").map((line) => ({
    system: "You are a small workspace assistant.",
    tools: TOOLS,
    turns: [
      {
        kind: "hand",
        user: line.user,
        steps: [{ calls: [[line.name, line.arguments]], results: [] }],
        reply: "",
        values: [],
      },
    ],
  }));
}
