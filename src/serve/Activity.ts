/**
 * What the lanes do now and what all requests took so far, as the events of their runs tell it. A lane here is a
 * place to be shown in, the lowest that is free; it says nothing of the engine's sequences.
 */

import type { EngineEvent } from "../run/EngineEvent.ts";
import type { RunReport } from "../run/RunReport.ts";
import type { EndedRun, RunObserver } from "./EndedRun.ts";
import type { Task } from "./Task.ts";

export interface Lane {
  readonly busy: boolean;
  /** What it does, or did last; null where it never did anything. */
  readonly task: Task | null;
}

/** Sums over all requests of one tenant that have ended. */
export interface Totals {
  readonly prefilledTokens: number;
  readonly resumedTokens: number;
  readonly promptMs: number;
  readonly predictedTokens: number;
  readonly predictedMs: number;
  /** Longest prompt with its reply. */
  readonly tokensMax: number;
}

/** What one tenant has asked for, and has of it now. */
export interface Counts {
  readonly totals: Totals;
  readonly running: number;
  readonly waiting: number;
}

type Begun = { -readonly [K in keyof Task]: Task[K] };

/** Of one tenant: there are as many as keys. */
interface Tenant {
  begun: number;
  /** Begun and not ended. */
  open: number;
  totals: Totals;
}

const NOTHING: Totals = {
  prefilledTokens: 0,
  resumedTokens: 0,
  promptMs: 0,
  predictedTokens: 0,
  predictedMs: 0,
  tokensMax: 0,
};

export class Activity {
  readonly #lanes: { busy: boolean; task: Begun | null }[];
  readonly #tenants = new Map<string, Tenant>();
  readonly #observers: readonly RunObserver[];
  readonly #now: () => number;

  /** `now`: milliseconds. */
  constructor(lanes: number, observers: readonly RunObserver[] = [], now = () => performance.now()) {
    this.#observers = observers;
    this.#now = now;
    this.#lanes = Array.from({ length: lanes }, () => ({ busy: false, task: null }));
  }

  get lanes(): readonly Lane[] {
    return this.#lanes;
  }

  countsOf(tenant: string): Counts {
    const { open, totals } = this.#tenants.get(tenant) ?? { open: 0, totals: NOTHING };
    const running = this.#lanes.filter(({ busy, task }) => busy && task?.tenant === tenant).length;
    return { totals, running, waiting: Math.max(0, open - running) };
  }

  /** To be given all events of the request's run. */
  begin(
    asked: Pick<Task, "tenant" | "requestId" | "conversation" | "promptTokens" | "sampling" | "maxTokens">,
  ): (event: EngineEvent) => void {
    const { tenant, requestId, conversation, promptTokens, sampling, maxTokens } = asked;
    const counts = this.#tenant(tenant);
    counts.begun += 1;
    counts.open += 1;
    const task: Begun = {
      id: counts.begun,
      tenant,
      requestId,
      ...(conversation === undefined ? {} : { conversation }),
      promptTokens,
      sampling,
      maxTokens,
      resumed: 0,
      evaluated: 0,
      predicted: 0,
    };
    const watch = new Watch(task, this.#observers, this.#now);
    return (event) => {
      this.#see(task, event);
      watch.see(event);
    };
  }

  #see(task: Begun, event: EngineEvent): void {
    switch (event.type) {
      case "prefill":
        this.#take(task);
        task.resumed = event.resumed;
        task.evaluated = event.evaluated;
        break;
      case "tokens":
        task.predicted += event.tokens.length;
        break;
      case "done":
      case "aborted":
        this.#count(task, event.report);
        this.#leave(task);
        break;
      case "refused":
      case "failed":
        this.#leave(task);
        break;
      default:
        break;
    }
  }

  #take(task: Begun): void {
    if (this.#lanes.some((lane) => lane.busy && lane.task === task)) return;
    const lane = this.#lanes.find(({ busy }) => !busy);
    if (lane === undefined) return;
    lane.busy = true;
    lane.task = task;
  }

  #leave(task: Begun): void {
    const lane = this.#lanes.find((one) => one.task === task);
    if (lane !== undefined) lane.busy = false;
    this.#tenant(task.tenant).open -= 1;
  }

  #tenant(tenant: string): Tenant {
    const known = this.#tenants.get(tenant);
    if (known !== undefined) return known;
    const made: Tenant = { begun: 0, open: 0, totals: NOTHING };
    this.#tenants.set(tenant, made);
    return made;
  }

  #count({ tenant }: Begun, report: RunReport): void {
    const counts = this.#tenant(tenant);
    const sums = counts.totals;
    counts.totals = {
      prefilledTokens: sums.prefilledTokens + report.prefilledTokens,
      resumedTokens: sums.resumedTokens + report.resumedTokens,
      promptMs: sums.promptMs + report.promptMs,
      predictedTokens: sums.predictedTokens + report.predictedTokens,
      predictedMs: sums.predictedMs + report.predictedMs,
      tokensMax: Math.max(sums.tokensMax, report.promptTokens + report.predictedTokens),
    };
  }
}

/** Times of one run, and its end, told to the observers. */
class Watch {
  readonly #task: Task;
  readonly #observers: readonly RunObserver[];
  readonly #now: () => number;
  readonly #begun: number;
  #firstTokenMs: number | undefined;
  #lastTokenAt = 0;

  constructor(task: Task, observers: readonly RunObserver[], now: () => number) {
    this.#task = task;
    this.#observers = observers;
    this.#now = now;
    this.#begun = now();
  }

  see(event: EngineEvent): void {
    switch (event.type) {
      case "tokens":
        this.#token();
        break;
      case "done":
      case "aborted":
        this.#end(event.type, event.report);
        break;
      case "refused":
      case "failed":
        this.#end(event.type);
        break;
      default:
        break;
    }
  }

  #token(): void {
    const now = this.#now();
    if (this.#firstTokenMs === undefined) this.#firstTokenMs = now - this.#begun;
    else for (const observer of this.#observers) observer.gap?.(this.#task.tenant, now - this.#lastTokenAt);
    this.#lastTokenAt = now;
  }

  #end(end: EndedRun["end"], report?: RunReport): void {
    const ended: EndedRun = {
      task: this.#task,
      end,
      totalMs: this.#now() - this.#begun,
      ...(report === undefined ? {} : { report }),
      ...(this.#firstTokenMs === undefined ? {} : { firstTokenMs: this.#firstTokenMs }),
    };
    for (const observer of this.#observers) observer.ended(ended);
  }
}
