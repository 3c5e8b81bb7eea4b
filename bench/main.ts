/** `bun run bench tool-loop --model PATH [--json]`: the project's own benchmark. */
import { grammarBench } from "./grammar.ts";
import { stateBench } from "./states/stateBench.ts";
import { type Cell, disagreements, runToolLoop, type ToolLoopOptions, wasted } from "./toolLoop.ts";

const HELP = `Usage: bun run bench tool-loop --model PATH [options] [-- server flags]
       bun run bench grammar --model PATH [--threads N] [--json]
       bun run bench restart|agents|end [--model PATH] [--tokens N] [--json] [-- server flags]

Plays one conversation with tools against the server with warming on and off, with a client that keeps
reasoning and one that drops it. Exits 1 where tokens or logits differ between on and off.

  --model PATH     GGUF file
  --binary PATH    the executable to measure (default: the sources)
  --peer URL       plays the same against another OpenAI-compatible server, and prints the ratios
  --turns N        user turns (default 3)
  --natural        replies as the model writes them; otherwise a grammar shapes and bounds them
  --json           one JSON object instead of tables
`;

interface Arguments {
  readonly options: ToolLoopOptions;
  readonly json: boolean;
}

function parse(argv: readonly string[]): Arguments | string {
  const split = argv.indexOf("--");
  const own = split < 0 ? argv : argv.slice(0, split);
  const flags = split < 0 ? [] : argv.slice(split + 1);
  const values = new Map<string, string>();
  const switches = new Set<string>();
  for (let i = 1; i < own.length; i++) {
    const name = own[i] ?? "";
    if (name === "--json" || name === "--natural") switches.add(name);
    else if (["--model", "--binary", "--peer", "--turns"].includes(name)) {
      const value = own[++i];
      if (value === undefined) return `${name} needs a value.`;
      values.set(name, value);
    } else return `There is no option ${name}.`;
  }
  if (own[0] !== "tool-loop")
    return `There is no benchmark ${own[0] ?? ""}; there are: tool-loop, grammar, restart, agents, end.`;
  const model = values.get("--model");
  if (model === undefined) return "--model PATH is needed.";
  const userTurns = Number(values.get("--turns") ?? 3);
  if (!Number.isInteger(userTurns) || userTurns < 1) return "--turns takes a whole number from 1.";
  const peer = values.get("--peer")?.replace(/\/(v1\/?)?$/, "");
  const forced = !switches.has("--natural");
  return {
    json: switches.has("--json"),
    options: { model, flags, binary: values.get("--binary"), peer, forced, userTurns },
  };
}

function table(cell: Cell): string {
  const head =
    "turn  prompt  resumed  warmed  prefilled  new  first token ms  moved KiB  tokens hash       logits hash       miss";
  const rows = cell.rows.map((row) =>
    [
      String(row.turn).padStart(4),
      String(row.prompt).padStart(7),
      String(row.resumed).padStart(8),
      String(row.warmed).padStart(7),
      String(row.prefilled).padStart(10),
      String(row.necessary).padStart(4),
      row.firstTokenMs.toFixed(1).padStart(15),
      (row.bytesMoved / 1024).toFixed(0).padStart(10),
      row.tokensHash.padEnd(17),
      row.logitsHash.padEnd(17),
      row.miss,
    ].join(" "),
  );
  return `${cell.server}, reasoning ${cell.reasoning}\n${head}\n${rows.join("\n")}\n`;
}

/** First-token time from the second turn on, as a ratio of two servers within this run. */
function ratios(cells: readonly Cell[]): string[] {
  const sum = (server: string): number =>
    cells
      .filter((cell) => cell.server === server)
      .flatMap((cell) => cell.rows.slice(1))
      .reduce((total, row) => total + row.firstTokenMs, 0);
  const on = sum("warm on");
  return ["warm off", "peer"].flatMap((server) => {
    const other = sum(server);
    return other > 0 && on > 0
      ? [`first token from turn 2 on, ${server} / warm on: ${(other / on).toFixed(2)}`]
      : [];
  });
}

if (["restart", "agents", "end"].includes(process.argv[2] ?? ""))
  process.exit(await stateBench(process.argv.slice(2)));
if (process.argv[2] === "grammar") process.exit(await grammarBench(process.argv.slice(3)));
const parsed = parse(process.argv.slice(2));
if (typeof parsed === "string") {
  console.error(`${parsed}\n\n${HELP}`);
  process.exit(2);
}
const cells = await runToolLoop(parsed.options).catch((error: unknown): never => {
  // A server that did not start, or a peer that does not answer: its words, no stack trace.
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(2);
});
const wrong = [...disagreements(cells), ...wasted(cells)];
if (parsed.json) {
  console.log(JSON.stringify({ cells, ratios: ratios(cells), problems: wrong }));
} else {
  for (const cell of cells) console.log(table(cell));
  for (const line of ratios(cells)) console.log(line);
  console.log(
    wrong.length === 0
      ? "Warm on and warm off agree in all hashes; from turn 2 on only what was new was prefilled, and less than one chunk."
      : wrong.join("\n"),
  );
}
process.exit(wrong.length === 0 ? 0 : 1);
