/**
 * Measures a model through the server: temperature 0, a live loop, once with a client that sends reasoning back
 * and once with one that drops it. Exits 1 where a measure is below what the demo model has to reach.
 *
 * `bun run models:eval [--model PATH] [--conversations N] [--verbose]`
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ServerProcess } from "../bench/ServerProcess.ts";
import { type Case, generatedCases, handCases } from "./demoEval/cases.ts";
import { play } from "./demoEval/play.ts";
import { Tally } from "./demoEval/Tally.ts";

/** Percent. */
const LEAST: Readonly<Record<string, number>> = {
  calls: 95,
  finals: 95,
  chains: 90,
  talk: 95,
  refusals: 90,
  hand: 85,
};
const WORDS: Readonly<Record<string, string>> = {
  calls: "right tool, exact arguments",
  finals: "answer holds every result value",
  chains: "calls one after the other, all right",
  talk: "plain talk without a call",
  refusals: "refusal where the tool is missing",
  hand: "single calls written by hand",
};
/** Points by which a client that drops reasoning may lie below one that keeps it. */
const DROP_MAX = 5;
const CONVERSATIONS = 200;

async function measure(url: string, cases: readonly Case[], keepReasoning: boolean): Promise<Tally> {
  const tally = new Tally();
  for (const test of cases) await play({ url, keepReasoning, tally }, test);
  return tally;
}

/** A table's lines, and whether every measure is high enough. */
function report(kept: Tally, dropped: Tally): { lines: string[]; good: boolean } {
  let good = true;
  const row = (...cells: string[]): string =>
    cells.map((cell, i) => cell.padEnd([38, 8, 20, 20][i] ?? 0)).join("");
  const lines = [row("", "least", "reasoning kept", "reasoning dropped")];
  for (const [name, least] of Object.entries(LEAST)) {
    const a = kept.percent(name);
    const b = dropped.percent(name);
    const fine = (a === null || a >= least) && (a === null || b === null || b >= a - DROP_MAX);
    good &&= fine;
    lines.push(
      row(WORDS[name] ?? name, `${least} %`, kept.words(name), dropped.words(name)) + (fine ? "" : "  BELOW"),
    );
  }
  lines.push(
    row("talk and refusals in the expected words", "", kept.words("same words"), dropped.words("same words")),
  );
  return { lines, good };
}

const { values: flags } = parseArgs({
  options: {
    model: { type: "string", default: join(import.meta.dir, "../models/demo/demo.gguf") },
    conversations: { type: "string", default: String(CONVERSATIONS) },
    verbose: { type: "boolean", default: false },
  },
});
const conversations = Number(flags.conversations);
if (!Number.isInteger(conversations) || conversations < 1) {
  console.error("--conversations: a whole number of at least 1 is wanted.");
  process.exit(2);
}
if (!existsSync(flags.model)) {
  console.error(`--model: there is no file ${flags.model}.`);
  process.exit(2);
}
const cases = [...generatedCases(conversations), ...handCases()];
// One thread: two that wait for each other are slower on a model this small, and far slower beside other work.
await using server = await ServerProcess.start({ flags: ["-m", flags.model, "--threads", "1"] });
const kept = await measure(server.url, cases, true);
const dropped = await measure(server.url, cases, false);
if (flags.verbose) for (const note of kept.notes) console.log(note);
const { lines, good } = report(kept, dropped);
for (const line of lines) console.log(line.trimEnd());
process.exitCode = good ? 0 : 1;
