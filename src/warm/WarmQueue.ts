/**
 * The warm Worker's inside: plans jobs first come, first served, one a step, so that a drop that arrives
 * between two steps still counts. Every job ends in exactly one `runs` or `skipped`; nothing throws.
 */
import { WARM_JOBS_MAX } from "../base/limits.ts";
import type { PlannedJob } from "./planJob.ts";
import type { AnyWarmJob, WarmCommand, WarmEvent } from "./WarmJob.ts";

export class WarmQueue {
  readonly #plan: (job: AnyWarmJob) => PlannedJob;
  readonly #post: (event: WarmEvent) => void;
  readonly #later: (step: () => void) => void;
  readonly #jobs: AnyWarmJob[] = [];
  #scheduled = false;

  /** `later` runs a step after what has arrived meanwhile was handled, e.g. `setImmediate`. */
  constructor(
    plan: (job: AnyWarmJob) => PlannedJob,
    post: (event: WarmEvent) => void,
    later: (step: () => void) => void,
  ) {
    this.#plan = plan;
    this.#post = post;
    this.#later = later;
  }

  handle(command: Exclude<WarmCommand, { type: "start" }>): void {
    if (command.type === "drop") {
      this.#skip((job) => job.conversation.id === command.conversation, "the conversation has moved on");
      return;
    }
    const { id, turn } = command.job.conversation;
    this.#skip((job) => job.conversation.id === id && job.conversation.turn < turn, "a later turn is here");
    this.#jobs.push(command.job);
    while (this.#jobs.length > WARM_JOBS_MAX) {
      const oldest = this.#jobs[0];
      this.#skip((job) => job === oldest, "too many jobs wait");
    }
    this.#schedule();
  }

  #skip(which: (job: AnyWarmJob) => boolean, why: string): void {
    for (let index = this.#jobs.length - 1; index >= 0; index -= 1) {
      const job = this.#jobs[index];
      if (job === undefined || !which(job)) continue;
      this.#jobs.splice(index, 1);
      this.#post({ type: "skipped", conversation: job.conversation, why });
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#jobs.length === 0) return;
    this.#scheduled = true;
    this.#later(() => {
      this.#scheduled = false;
      const job = this.#jobs.shift();
      if (job !== undefined) this.#post(this.#planned(job));
      this.#schedule();
    });
  }

  #planned(job: AnyWarmJob): WarmEvent {
    const { conversation } = job;
    try {
      const { runs, notes } = this.#plan(job);
      if (runs.length > 0) return { type: "runs", conversation, runs, notes };
      return { type: "skipped", conversation, why: notes.join("; ") || "the next prompt has no cut" };
    } catch (error) {
      return { type: "skipped", conversation, why: error instanceof Error ? error.message : String(error) };
    }
  }
}
