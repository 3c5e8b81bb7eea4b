/** What a client's rows come to, and their line in docs/clients.md. */
import { join } from "node:path";
import { MEMORY_KINDS } from "./memoryKinds.ts";
import type { Played } from "./play.ts";
import type { ClientSpec } from "./specs/ClientSpec.ts";

export interface ClientResult {
  readonly spec: ClientSpec;
  /** Null where it could not be installed: it was not run, which is no pass. */
  readonly played: Played | null;
  readonly why: string;
}

export interface Sum {
  /** With a reply. */
  readonly requests: number;
  readonly side: number;
  readonly results: number;
  /** Of the last request of the main conversation. */
  readonly prompt: number;
  /** Of the main conversation's requests but the first, on the first kind of memory. */
  readonly prefilled: number;
  /** Over all kinds of memory. */
  readonly beyond: number;
  readonly avoidable: number;
}

const DOCS = join(import.meta.dir, "../../docs/clients.md");
const START = "<!-- measured:start -->";
const END = "<!-- measured:end -->";
const HEAD = `| client | requests (side) | calls | last prompt | prefilled after the first | beyond the necessary | avoidable misses | date |
|---|---|---|---|---|---|---|---|`;

export function sumOf({ rows }: Played): Sum {
  const costs = rows.flatMap((row) => Object.values(row.costs));
  const main = rows.filter((row) => !row.side);
  const [kind = "hybrid"] = MEMORY_KINDS;
  return {
    requests: rows.length,
    side: rows.length - main.length,
    results: Math.max(0, ...rows.map((row) => row.results)),
    prompt: main.at(-1)?.prompt ?? 0,
    prefilled: main.slice(1).reduce((sum, row) => sum + (row.costs[kind]?.prefilled ?? 0), 0),
    beyond: costs.reduce((sum, cost) => sum + cost.beyond, 0),
    avoidable: costs.filter((cost) => cost.isAvoidable).length,
  };
}

/** One sentence for each. */
export function missesOf({ rows }: Played): string[] {
  return rows.flatMap((row) =>
    Object.entries(row.costs)
      .filter(([, cost]) => cost.beyond > 0)
      .map(([kind, cost]) => {
        const avoidable = cost.isAvoidable ? "avoidable" : "nothing is kept there";
        return `request ${row.number}, ${kind}: ${cost.beyond} tokens (${avoidable}; ${cost.miss})`;
      }),
  );
}

/** Rows of clients that were not played stay as they are. */
export async function writeRows(results: readonly ClientResult[]): Promise<void> {
  const text = await Bun.file(DOCS).text();
  const from = text.indexOf(START);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`${DOCS} has no place for rows`);
  const rows = new Map<string, string>();
  for (const line of text.slice(from, to).split("\n")) {
    const name = /^\| (\S+(?: \S+)*) `/.exec(line)?.[1];
    if (name !== undefined) rows.set(name, line);
  }
  for (const result of results) rows.set(result.spec.name, rowOf(result));
  const body = [HEAD, ...rows.values()].join("\n");
  await Bun.write(DOCS, `${text.slice(0, from)}${START}\n${body}\n${text.slice(to)}`);
}

function rowOf({ spec, played, why }: ClientResult): string {
  const date = new Date().toISOString().slice(0, 10);
  const name = `${spec.name} \`${spec.packages[0]?.replace(/^.*@/, "")}\``;
  if (played === null) return `| ${name} | not run: ${why} | | | | | | ${date} |`;
  const sum = sumOf(played);
  const wrong = played.problems.length === 0 ? "" : `, ${played.problems.length} problems`;
  const cells = [
    `${sum.requests} (${sum.side})`,
    sum.results,
    sum.prompt,
    sum.prefilled,
    sum.beyond,
    `${sum.avoidable}${wrong}`,
  ];
  return `| ${name} | ${cells.join(" | ")} | ${date} |`;
}
