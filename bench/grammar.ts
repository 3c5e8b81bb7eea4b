/**
 * What a grammar costs: the same model decodes with and without one, in turns, in one process. For each
 * grammar the processor time of a token (sample, evaluate) is compared with that of free text. The model has not
 * been told of the schema: nearly every token that is no text within a string is refused first, the worst case.
 */

import { LlamaDevice } from "../src/engine/LlamaDevice.ts";
import { compileSchema } from "../src/grammar/compileSchema.ts";
import { Gbnf } from "../src/grammar/Gbnf.ts";
import { fromPlain } from "../src/json/plainJson.ts";
import type { Sampling } from "../src/run/RunSpec.ts";
import { GREEDY } from "../test/support/sampling.ts";
import { largeVocabularyModel } from "../test/support/tinyModels/largeVocabulary.ts";

interface GrammarCell {
  readonly grammar: string;
  readonly tokens: number;
  /** Of one token: of the grammar's, and of free text in the same rounds. */
  readonly msPerToken: number;
  readonly freeMsPerToken: number;
  readonly addedMs: number;
  readonly addedShare: number;
  readonly fine: boolean;
}

interface GrammarBenchOptions {
  readonly model: string;
  readonly threads: number;
  readonly tokens: number;
  readonly rounds: number;
}

/** One line of the command: `grammar --model PATH [--threads N] [--json]`. The exit code. */
export async function grammarBench(argv: readonly string[]): Promise<number> {
  const values = new Map<string, string>();
  const isJson = argv.includes("--json");
  const rest = argv.filter((one) => one !== "--json");
  for (let i = 0; i < rest.length; i += 2) values.set(rest[i] ?? "", rest[i + 1] ?? "");
  const model = values.get("--model");
  const threads = Number(values.get("--threads") ?? 1);
  const unknown = [...values.keys()].find((name) => name !== "--model" && name !== "--threads");
  if (model === undefined || unknown !== undefined || !Number.isInteger(threads) || threads < 1) {
    console.error("Usage: bun run bench grammar --model PATH [--threads N] [--json]");
    return 2;
  }
  const runs = [
    { name: model, path: model, rounds: 30 },
    { name: "a vocabulary of 150,000", path: await largeVocabularyModel(), rounds: 16 },
  ];
  let isFine = true;
  for (const { name, path, rounds } of runs) {
    const cells = runGrammarBench({ model: path, threads, tokens: 100, rounds });
    isFine &&= cells.every((cell) => cell.fine);
    console.log(isJson ? JSON.stringify({ model: name, cells }) : `${name}\n${grammarTable(cells)}\n`);
  }
  return isFine ? 0 : 1;
}

/** Not counted: code is compiled and the vocabulary's table made. */
const WARM_UP_ROUNDS = 4;
/** Whichever is more. */
const ADDED_SHARE_MAX = 0.1;
const ADDED_MS_MAX = 0.1;

const SAMPLING: Sampling = { ...GREEDY, temperature: 0.8 };

/** Long enough for a whole round, and of all kinds of places. */
const SCHEMA = {
  type: "array",
  minItems: 40,
  items: {
    type: "object",
    properties: {
      city: { type: "string", maxLength: 40 },
      unit: { enum: ["celsius", "fahrenheit"] },
      days: { type: "integer", minimum: 1, maximum: 14 },
      tags: { type: "array", items: { type: "string", pattern: "^[a-z-]{1,12}$" }, minItems: 1, maxItems: 4 },
      exact: { type: "boolean" },
    },
    required: ["city", "unit", "days", "tags", "exact"],
    additionalProperties: false,
  },
};

function grammars(): ReadonlyMap<string, string> {
  const gbnf = new Gbnf();
  gbnf.define("root", compileSchema(fromPlain(SCHEMA), gbnf).rule);
  return new Map([
    ["any text", "root ::= [^\\x00]*"],
    ["a schema's JSON", gbnf.text()],
  ]);
}

function runGrammarBench(options: GrammarBenchOptions): GrammarCell[] {
  const { threads } = options;
  using device = LlamaDevice.open(
    {},
    { path: options.model },
    { lanes: 1, spares: 0, context: { ctxTokens: 1024, ubatch: 64, threads } },
  );
  const out: GrammarCell[] = [];
  for (const [name, grammar] of grammars()) {
    const rounds = Array.from({ length: options.rounds }, (_, round) => {
      const free = decode(device, SAMPLING, options.tokens, round);
      return { free, held: decode(device, { ...SAMPLING, grammar }, options.tokens, round) };
    }).slice(WARM_UP_ROUNDS);
    const msPerToken = median(rounds.map(({ held }) => held.ms / held.tokens));
    const freeMsPerToken = median(rounds.map(({ free }) => free.ms / free.tokens));
    const addedMs = msPerToken - freeMsPerToken;
    const addedShare = addedMs / freeMsPerToken;
    out.push({
      grammar: name,
      tokens: rounds.reduce((sum, { held }) => sum + held.tokens, 0),
      msPerToken,
      freeMsPerToken,
      addedMs,
      addedShare,
      fine: addedShare <= ADDED_SHARE_MAX || addedMs <= ADDED_MS_MAX,
    });
  }
  return out;
}

function decode(
  device: LlamaDevice,
  sampling: Sampling,
  tokens: number,
  round: number,
): { ms: number; tokens: number } {
  device.clear(0);
  const prompt = Int32Array.from({ length: 32 }, (_, index) => 97 + ((index * 7 + round) % 26));
  device.prefill(0, 0, prompt, true);
  using sampler = device.sampler({ ...sampling, seed: 1 + round }, prompt);
  // Processor time: other processes on the machine are no part of it.
  const started = process.cpuUsage();
  let count = 0;
  for (; count < tokens; count += 1) {
    const sampled = sampler.sample(0);
    if ("deadEnd" in sampled) throw new Error(sampled.deadEnd);
    if (device.isEnd(sampled.token)) break;
    device.decode([{ seq: 0, pos: prompt.length + count, token: sampled.token }]);
  }
  const { user, system } = process.cpuUsage(started);
  return { ms: (user + system) / 1000, tokens: Math.max(1, count) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function grammarTable(cells: readonly GrammarCell[]): string {
  const rows = cells.map((cell) =>
    [
      cell.grammar.padEnd(16),
      String(cell.tokens).padStart(7),
      cell.freeMsPerToken.toFixed(3).padStart(9),
      cell.msPerToken.toFixed(3).padStart(9),
      cell.addedMs.toFixed(3).padStart(9),
      `${(100 * cell.addedShare).toFixed(1)} %`.padStart(9),
      cell.fine ? "  fine" : "  TOO MUCH",
    ].join(" "),
  );
  return ["grammar           tokens   free ms   held ms     added     share", ...rows].join("\n");
}
