/**
 * The last turns of each tenant, newest first, for who looks on: numbers alone, no text. Conversations are numbered
 * for each tenant apart, so that no number tells how many others there are.
 */
import { RECENT_TURNS_MAX } from "../base/limits.ts";
import type { RunReport } from "../run/RunReport.ts";
import type { EndedRun, RunObserver } from "./EndedRun.ts";

export interface RecentTurn {
  /** Counts the tenant's turns, from 1. */
  readonly id: number;
  /** When it ended: milliseconds since 1970. */
  readonly at: number;
  /** Counts the tenant's conversations, from 1; null where it belongs to none. */
  readonly conversation: number | null;
  readonly end: EndedRun["end"];
  readonly promptTokens: number;
  readonly generatedTokens: number;
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
  /** Null where the engine never had it, or lost it. */
  readonly report: RunReport | null;
}

interface Tenant {
  readonly turns: RecentTurn[];
  /** Of the turns that are kept. */
  readonly numbers: Map<string, number>;
  /** The conversation of each turn that is kept, as the turns are ordered. */
  readonly ids: (string | undefined)[];
  counted: number;
}

export class RecentTurns implements RunObserver {
  readonly #tenants = new Map<string, Tenant>();
  readonly #now: () => number;

  constructor(now = () => Date.now()) {
    this.#now = now;
  }

  of(tenant: string): readonly RecentTurn[] {
    return this.#tenants.get(tenant)?.turns ?? [];
  }

  /** Null where no turn of it is kept. */
  numberOf(tenant: string, conversation: string | undefined): number | null {
    if (conversation === undefined) return null;
    return this.#tenants.get(tenant)?.numbers.get(conversation) ?? null;
  }

  ended({ task, end, report, firstTokenMs, totalMs }: EndedRun): void {
    const tenant = this.#tenant(task.tenant);
    tenant.turns.unshift({
      id: task.id,
      at: this.#now(),
      conversation: number(tenant, task.conversation),
      end,
      promptTokens: task.promptTokens,
      generatedTokens: report?.predictedTokens ?? task.predicted,
      firstTokenMs: firstTokenMs ?? null,
      totalMs,
      report: report ?? null,
    });
    tenant.ids.unshift(task.conversation);
    if (tenant.turns.length <= RECENT_TURNS_MAX) return;
    tenant.turns.pop();
    const gone = tenant.ids.pop();
    if (gone !== undefined && !tenant.ids.includes(gone)) tenant.numbers.delete(gone);
  }

  #tenant(name: string): Tenant {
    const known = this.#tenants.get(name);
    if (known !== undefined) return known;
    const made: Tenant = { turns: [], numbers: new Map(), ids: [], counted: 0 };
    this.#tenants.set(name, made);
    return made;
  }
}

function number(tenant: Tenant, conversation: string | undefined): number | null {
  if (conversation === undefined) return null;
  const known = tenant.numbers.get(conversation);
  if (known !== undefined) return known;
  tenant.counted += 1;
  tenant.numbers.set(conversation, tenant.counted);
  return tenant.counted;
}
