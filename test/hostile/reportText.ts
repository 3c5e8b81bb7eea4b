/** The campaign's result, as it is committed. */
import type { HeadsResult } from "./modelHeads.ts";

export interface Finding {
  readonly says: string;
  /** Where the request lies; "" for none. */
  readonly file: string;
}

export interface Report {
  readonly counts: { readonly requests: number; readonly disconnects: number; readonly heads: number };
  readonly seed: string;
  /** That was run. */
  readonly commit: string;
  readonly statuses: ReadonlyMap<number, number>;
  /** Milliseconds of processor time of the HTTP thread. */
  readonly health: {
    readonly count: number;
    readonly bad: number;
    readonly half: number;
    readonly most: number;
    readonly max: number;
    readonly slow: number;
  };
  /** Bytes after each quarter of the requests, and after the clients that left. */
  readonly memory: readonly number[];
  readonly headed: HeadsResult;
  readonly findings: readonly Finding[];
  readonly ms: number;
}

export function reportText({
  counts,
  seed,
  commit,
  statuses,
  health,
  memory,
  headed,
  findings,
  ms,
}: Report): string {
  const date = new Date().toISOString().slice(0, 10);
  const mib = memory.map((bytes) => Math.round(bytes / 2 ** 20)).join(", ");
  const rows = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, times]) => `| ${status === 0 ? "not sent" : status} | ${times} |`);
  return [
    "# Hostile campaign, last full run",
    "",
    `\`bun run test:hostile\`, seed ${seed}, ${date}, commit ${commit}, ${Math.round(ms / 1000)} s on two shared cores; the demo model, served by its own process.`,
    "",
    findings.length === 0
      ? "Nothing was found."
      : `**${findings.length} findings:**\n${findings.map(({ says }) => `- ${says}`).join("\n")}`,
    "",
    "| sent | |",
    "| --- | --- |",
    `| requests, from the OpenAPI document and by mutation, over every endpoint | ${counts.requests} |`,
    `| clients that broke off, anywhere | ${counts.disconnects} |`,
    `| model files with a damaged head | ${counts.heads}: ${headed.opened} opened, ${headed.refused} refused in a sentence, ${headed.crashes.length} crashes |`,
    "",
    "| status | answers |",
    "| --- | --- |",
    ...rows,
    "",
    `\`/health\`, asked ${health.count} times meanwhile: ${health.half.toFixed(1)} ms of the HTTP thread's processor time in the middle, ${health.most.toFixed(1)} ms in 99.9 %, ${health.max.toFixed(1)} ms at most, ${health.slow} above 50 ms. Measured as what the thread used from before the question to after its answer (\`schedstat\`), with the four requests that may stand before it.`,
    "",
    `Memory of the process (MiB) after each quarter of the requests, and after the clients that left: ${mib}.`,
    "",
  ].join("\n");
}
