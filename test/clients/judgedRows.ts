/** One row for each request that had a reply: what it was made to prefill, and what it could have been spared. */
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import type { CutRules } from "../support/oracle/naiveCuts.ts";
import type { Body } from "./body.ts";
import { type Asked, type Known, knownOf, lastCut } from "./judge.ts";
import type { Exchange, RecordedServer } from "./RecordedServer.ts";
import type { ScriptedRun } from "./ScriptedEngine.ts";
import { isShell, taskOf } from "./script.ts";

/** What a request took on one kind of memory, in tokens. */
export interface Cost {
  /** Counted at the device. */
  readonly prefilled: number;
  /** What nobody could have known, and what lies between it and the cut before it. */
  readonly necessary: number;
  /** Prefilled, though it could have been known. */
  readonly beyond: number;
  /** Whether a state had to be there that spares it. */
  readonly isAvoidable: boolean;
  /** The server's own words, where it resumed below the best cut. */
  readonly miss: string;
}

export interface RequestRow {
  readonly number: number;
  /** Whether it goes on from an earlier request's reply. */
  readonly goesOn: boolean;
  /** A title, a topic, a subagent: not of the main conversation. */
  readonly side: boolean;
  readonly prompt: number;
  /** Tokens of it that could be known before it came. */
  readonly known: number;
  /** Results of calls in it. */
  readonly results: number;
  /** The same body makes the same prompt in a server that remembers nothing. */
  readonly pure: boolean;
  readonly costs: Readonly<Partial<Record<MemoryKind, Cost>>>;
}

interface Answered extends Asked {
  readonly run: ScriptedRun;
}

/** All servers have answered the same requests, the first of them live. */
export async function judgedRows(servers: readonly RecordedServer[]): Promise<RequestRow[]> {
  const [live] = servers;
  if (live === undefined) return [];
  const promptOf = (path: string, body: Body) => live.promptOf(path, body);
  const answered = servers.map(answeredBy);
  const asked = answered[0] ?? [];
  const rows: RequestRow[] = [];
  for (const [i, next] of asked.entries()) {
    const known = await knownOf(next, asked.slice(0, i), live.messages, promptOf);
    const again = await promptOf(next.path, next.body);
    const costs = servers.map((server, s) => {
      const { memory } = server.ready;
      return [memory, costOf(next, known, server, answered[s]?.[i]?.run)] as const;
    });
    rows.push({
      number: i + 1,
      goesOn: known.foreseen,
      side: isSide(next.body),
      prompt: next.prompt.length,
      known: known.tokens,
      results: next.body.entries.reduce((sum, entry) => sum + entry.results, 0),
      pure: again !== undefined && again.join() === next.prompt.join(),
      costs: Object.fromEntries(costs),
    });
  }
  return rows;
}

function answeredBy(server: RecordedServer): Answered[] {
  return [...server.exchanges].sort((a, b) => a.order - b.order).flatMap(answeredOf);
}

function answeredOf({ body, run, path }: Exchange): Answered[] {
  return body === undefined || run === null ? [] : [{ run, path, body, prompt: run.tokens }];
}

function costOf(
  next: Asked,
  known: Known,
  { ready, messages }: RecordedServer,
  run: ScriptedRun | undefined,
): Cost {
  if (run === undefined || run.tokens.join() !== next.prompt.join())
    throw new Error("a request that was played again has another prompt");
  const { chunkTokensMin, chunkTokensMax, tripTokensMin } = ready;
  const rules: CutRules = { openers: [[messages.opener]], chunkTokensMin, chunkTokensMax, tripTokensMin };
  const { prefilled } = run;
  const beyondCut = (tokens: number): number =>
    Math.max(0, prefilled - (next.prompt.length - lastCut(tokens, next.prompt, rules)));
  const beyond = beyondCut(known.tokens);
  return {
    prefilled,
    necessary: next.prompt.length - lastCut(known.tokens, next.prompt, rules),
    beyond,
    isAvoidable: beyondCut(ready.memory === "dense" ? known.tokens : known.kept) > 0,
    miss: beyond === 0 ? "" : missOf(run),
  };
}

/** The main conversation began with the first step, and has a shell. */
function isSide(body: Body): boolean {
  return !body.tools.some(isShell) || !body.entries.some((entry) => taskOf(entry)?.step === 1);
}

function missOf({ end }: ScriptedRun): string {
  if (end === null || !("report" in end)) return end?.type ?? "no end";
  const { missReason, missAt, resumedTokens } = end.report;
  return `${missReason} at ${missAt}, resumed at ${resumedTokens}`;
}
