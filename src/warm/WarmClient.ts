/**
 * The HTTP side of the warm pass: hands finished replies to the warm Worker and its plans to the engine, and
 * nothing else. No request ever waits for it or fails with it; a Worker that dies is started again, and after
 * some deaths warming is off for good, with one line in the log.
 */
import type { Engine, EngineRun } from "../run/Engine.ts";
import type { EngineEvent } from "../run/EngineEvent.ts";
import type { RunReport } from "../run/RunReport.ts";
import type { ConversationTurn } from "../run/RunSpec.ts";
import type { Warm } from "./Warm.ts";
import type { AnyWarmJob, WarmCommand, WarmEvent, WarmRun, WarmSettings } from "./WarmJob.ts";

/** Deaths of the Worker after which it is not started again: what kills it each time would go on for ever. */
export const warmCrashesMax = 3;

/** The warm Worker as this client needs it: `workerLink` over a real one, or a fake in tests. */
export interface WarmLink {
  post(command: WarmCommand): void;
  end(): void;
}

/** `onCrash` is called at most once for a link, and nothing after it. */
export type OpenWarmLink = (
  onEvent: (event: WarmEvent) => void,
  onCrash: (message: string) => void,
) => WarmLink;

export interface WarmClientOptions {
  readonly engine: Pick<Engine, "run" | "warm">;
  readonly settings: WarmSettings;
  readonly openLink: OpenWarmLink;
  /** A warm run has ended, and this is what it took. */
  readonly onRun?: (tenant: string, report: RunReport) => void;
  readonly log: { info(message: string): void; warn(message: string): void };
}

/** A conversation's latest job: being planned by the Worker, then in the engine. */
interface OpenJob {
  readonly turn: number;
  planning: boolean;
  readonly runs: Set<EngineRun>;
}

export class WarmClient implements Warm {
  readonly #options: WarmClientOptions;
  readonly #jobs = new Map<string, OpenJob>();
  #link: WarmLink | undefined;
  #crashes = 0;
  /** Replies whose end was announced and whose job is not here yet. */
  #ending = 0;
  /** Runs in the engine, those of dropped conversations included. */
  #running = 0;

  constructor(options: WarmClientOptions) {
    this.#options = options;
    this.#start();
  }

  get idle(): boolean {
    const planning = this.#jobs.values().some((job) => job.planning);
    return this.#ending === 0 && !planning && this.#running === 0 && this.#options.engine.warm === "idle";
  }

  replyEnds(): () => void {
    this.#ending += 1;
    let ended = false;
    return () => {
      if (!ended) this.#ending -= 1;
      ended = true;
    };
  }

  finished(job: AnyWarmJob): void {
    if (this.#link === undefined) return;
    const { id, turn } = job.conversation;
    const open = this.#jobs.get(id);
    if (open !== undefined && open.turn >= turn) return;
    this.#cancel(id);
    this.#jobs.set(id, { turn, planning: true, runs: new Set() });
    this.#link.post({ type: "job", job });
  }

  drop(conversation: string): boolean {
    const wasWarming = this.#jobs.has(conversation);
    this.#cancel(conversation);
    this.#link?.post({ type: "drop", conversation });
    return wasWarming;
  }

  close(): void {
    this.#stop();
  }

  #start(): void {
    const link = this.#options.openLink(
      (event) => {
        if (this.#link === link) this.#receive(event);
      },
      (message) => {
        if (this.#link === link) this.#crash(message);
      },
    );
    this.#link = link;
    link.post({ type: "start", settings: this.#options.settings });
  }

  #receive(event: WarmEvent): void {
    if (event.type === "ready") return;
    if (event.type === "off") {
      this.#off(event.why);
      return;
    }
    const job = this.#openJob(event.conversation);
    // A plan that came too late: its conversation was dropped, or a later turn is being planned.
    if (job === undefined) return;
    job.planning = false;
    if (event.type === "runs") for (const run of event.runs) this.#hand(run, event.conversation, job);
    else this.#options.log.info(`Not warmed: ${event.why}.`);
    this.#forgetIfDone(event.conversation, job);
  }

  #openJob(conversation: ConversationTurn): OpenJob | undefined {
    const job = this.#jobs.get(conversation.id);
    return job?.turn === conversation.turn && job.planning ? job : undefined;
  }

  #hand(run: WarmRun, conversation: ConversationTurn, job: OpenJob): void {
    this.#running += 1;
    const handle = this.#options.engine.run(run, (event) => {
      if (!isTerminal(event)) return;
      this.#running -= 1;
      if ("report" in event) this.#options.onRun?.(run.tenant, event.report);
      job.runs.delete(handle);
      this.#forgetIfDone(conversation, job);
    });
    job.runs.add(handle);
  }

  #forgetIfDone(conversation: ConversationTurn, job: OpenJob): void {
    const done = !job.planning && job.runs.size === 0;
    if (done && this.#jobs.get(conversation.id) === job) this.#jobs.delete(conversation.id);
  }

  #cancel(conversation: string): void {
    const job = this.#jobs.get(conversation);
    if (job === undefined) return;
    this.#jobs.delete(conversation);
    for (const run of job.runs) run.cancel();
  }

  /** What was being planned is lost with the Worker; what the engine has goes on. */
  #crash(message: string): void {
    this.#crashes += 1;
    if (this.#crashes >= warmCrashesMax) {
      this.#off(`its Worker died ${this.#crashes} times, last of: ${message}`);
      return;
    }
    this.#options.log.warn(`The warm Worker died and is started again: ${message}`);
    this.#forgetPlanning();
    this.#start();
  }

  #off(why: string): void {
    this.#options.log.warn(`Warming is off: ${why}`);
    this.#forgetPlanning();
    this.#link?.end();
    this.#link = undefined;
  }

  #stop(): void {
    for (const conversation of [...this.#jobs.keys()]) this.#cancel(conversation);
    this.#link?.end();
    this.#link = undefined;
  }

  #forgetPlanning(): void {
    for (const [id, job] of [...this.#jobs]) if (job.planning) this.#jobs.delete(id);
  }
}

function isTerminal(event: EngineEvent): boolean {
  return (
    event.type === "done" || event.type === "aborted" || event.type === "failed" || event.type === "refused"
  );
}
