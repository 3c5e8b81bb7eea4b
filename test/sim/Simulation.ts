/**
 * A seeded simulation of the real loop over the fake device: conversations of several tenants that go on, fork,
 * are retried, cancelled and dropped, warm runs, small budgets, device errors. Whatever happens, a reply that
 * ends is the one that a cold run of the same plan gives, and no figure claims more than is true. A seed
 * replays everything.
 */

import type { Plan } from "../../src/plan/Plan.ts";
import { type Device, DeviceError } from "../../src/run/Device.ts";
import type { EngineEvent } from "../../src/run/EngineEvent.ts";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import type { RunReport } from "../../src/run/RunReport.ts";
import type { RunWishes } from "../../src/run/RunSpec.ts";
import { coldRun, EngineHarness, GREEDY, isTerminal } from "../support/EngineHarness.ts";
import { assistant, makePlan, prompt, user, words } from "../support/makePlan.ts";

export interface SimulationResult {
  readonly log: readonly string[];
  /** Ended runs by what happened to them. */
  readonly counts: Readonly<Record<string, number>>;
}

const ACTIONS = 60;
const STEPS_PER_ACTION = 12;
const CTX_TOKENS = 1500;

const TELLS: RunWishes = { probs: { top: 2, afterSampling: false } };
const WISHES: readonly RunWishes[] = [{}, {}, {}, { resumes: false }, TELLS, { ...TELLS, reports: true }];

/** A real model in the fake's place. */
export interface RealDevices {
  /** Sequences as the simulation draws them. */
  readonly open: (lanes: number, spares: number, ctxTokens: number) => Device;
  /** Replies are compared with runs in this one. */
  readonly cold: (ctxTokens: number) => Device;
}

interface Conversation {
  readonly id: string;
  readonly tenant: string;
  history: number[];
  turn: number;
  /** The request whose reply is awaited. */
  running: number | null;
}

interface Submitted {
  readonly plan: Plan;
  readonly conversation: Conversation | null;
  readonly prompt: number[];
  readonly maxTokens: number;
  readonly seed: number;
  readonly tenant: string;
  accepted: boolean;
  ends: number;
}

/** mulberry32: small, seeded, the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export class Simulation {
  readonly #memory: MemoryKind;
  readonly #random: () => number;
  readonly #engine: EngineHarness;
  readonly #budget: number;
  readonly #faultRate: number;
  readonly #conversations: Conversation[] = [];
  readonly #submitted = new Map<number, Submitted>();
  readonly #log: string[] = [];
  readonly #counts: Record<string, number> = {};
  /** Cold replies, by plan and sampling: the same plan is asked for often. */
  readonly #cold = new Map<string, ReturnType<typeof coldRun>>();
  readonly #real: Device | undefined;
  readonly #realCold: Device | undefined;
  #nextId = 1;
  #faulty = false;

  constructor(memory: MemoryKind, seed: number, devices?: RealDevices) {
    this.#memory = memory;
    this.#random = randomOf(seed * 5 + memory.length);
    const partials = this.#pick([0, 2, 10, 80, 4000]);
    this.#budget = partials * (devices === undefined ? 256 : 40_000);
    this.#faultRate = this.#pick([0, 0, 0.004]);
    const lanes = this.#pick([1, 1, 2, 3]);
    const spares = this.#pick([0, 1, 1, 2]);
    this.#real = devices?.open(lanes, spares, CTX_TOKENS);
    this.#realCold = devices?.cold(CTX_TOKENS);
    const refusalRate = this.#pick([0, 0, 0.1]);
    this.#engine = new EngineHarness({
      memory,
      real: this.#real,
      lanes,
      spares,
      ctxTokens: CTX_TOKENS,
      stateRamBytes: this.#budget,
      queueMax: this.#pick([2, 64]),
      copyIsDeferred: this.#chance(0.8),
      exactDecode: true,
      // A window takes back its own trips at once: to refuse those is a fault of the device, not a miss.
      refusesRestore: () => memory !== "window" && refusalRate > 0 && this.#random() < refusalRate,
      onEvent: (event) => this.#onEvent(event),
      fault: (op) => {
        if (!this.#faulty || op === "clear" || op === "truncate") return;
        if (this.#random() < this.#faultRate) throw new DeviceError("evaluate-failed", `injected in ${op}`);
      },
    });
  }

  run(): SimulationResult {
    this.#faulty = true;
    for (let i = 0; i < ACTIONS; i++) {
      this.#act();
      const steps = this.#random() * STEPS_PER_ACTION;
      for (let step = 0; step < steps; step++) this.#step();
    }
    if (this.#chance(0.2)) this.#engine.loop.handle({ type: "close" });
    while (this.#step()) {}
    this.#checkEnds();
    this.#real?.[Symbol.dispose]();
    this.#realCold?.[Symbol.dispose]();
    return { log: this.#log, counts: this.#counts };
  }

  #step(): boolean {
    const more = this.#engine.loop.step();
    const bytes = this.#engine.loop.states.hostBytes;
    if (bytes > this.#budget) throw new Error(`${bytes} bytes are kept, ${this.#budget} are allowed`);
    return more;
  }

  #act(): void {
    const dice = this.#random();
    if (dice < 0.55) this.#request();
    else if (dice < 0.75) this.#fork();
    else if (dice < 0.85) this.#cancel();
    else if (dice < 0.92) this.#drop();
  }

  /** The next turn of a conversation, a retry of its last, or the first of a new one. */
  #request(): void {
    let conversation = this.#pick(this.#conversations);
    if (conversation === undefined || (this.#conversations.length < 8 && this.#chance(0.3))) {
      conversation = this.#open();
    }
    if (conversation.running !== null) return;
    const message = user(Math.floor(this.#random() * 1000), Math.floor(this.#random() * 60));
    this.#send(conversation, prompt(conversation.history, message));
  }

  #open(): Conversation {
    const tenant = this.#pick(["", "", "other"]);
    const head = words(this.#pick([1, 1, 2]), this.#pick([20, 90, 150]));
    const conversation = {
      id: `c${this.#conversations.length}`,
      tenant,
      history: head,
      turn: 0,
      running: null,
    };
    this.#conversations.push(conversation);
    return conversation;
  }

  /** The same history under another conversation: a sub-agent, or an edit further up. */
  #fork(): void {
    const from = this.#pick(this.#conversations);
    if (from === undefined || this.#conversations.length >= 12) return;
    const cut = Math.floor(from.history.length * this.#pick([0.5, 0.8, 1]));
    const id = `c${this.#conversations.length}`;
    const fork = { id, tenant: from.tenant, history: from.history.slice(0, cut), turn: 0, running: null };
    this.#conversations.push(fork);
    this.#send(fork, prompt(fork.history, user(Math.floor(this.#random() * 1000), 20)));
  }

  #send(conversation: Conversation, tokens: number[]): void {
    conversation.turn++;
    const { id, turn, tenant } = conversation;
    const plan = makePlan(this.#memory, tokens, { tenant });
    const maxTokens = this.#pick([0, 1, 5, 20, 60]);
    const seed = Math.floor(this.#random() * 4);
    const runId = this.#nextId++;
    const submitted = {
      plan,
      conversation,
      prompt: tokens,
      maxTokens,
      seed,
      tenant,
      accepted: false,
      ends: 0,
    };
    this.#submitted.set(runId, submitted);
    conversation.running = runId;
    const sampling = { ...GREEDY, temperature: seed, seed, ignoreEos: false };
    // What is told, and what may be resumed, changes no bit of the reply.
    const wishes = this.#pick(WISHES);
    const spec = { ...wishes, id: runId, conversation: id, turn, tenant, maxTokens, sampling };
    this.#engine.submit(plan, spec);
  }

  #cancel(): void {
    const live = [...this.#submitted].filter(([, run]) => run.accepted && run.ends === 0);
    const chosen = this.#pick(live);
    if (chosen !== undefined) this.#engine.loop.handle({ type: "cancel", id: chosen[0] });
  }

  #drop(): void {
    const conversation = this.#pick(this.#conversations);
    if (conversation !== undefined) this.#engine.loop.handle({ type: "drop", conversation: conversation.id });
  }

  #onEvent(event: EngineEvent): void {
    this.#log.push(JSON.stringify(event));
    if (!("id" in event)) return;
    const run = this.#submitted.get(event.id);
    if (run === undefined) throw new Error(`an event of an unknown run: ${JSON.stringify(event)}`);
    if (event.type === "accepted") run.accepted = true;
    if (event.type === "refused") {
      if (run.accepted) throw new Error(`run ${event.id} was accepted, then refused`);
      this.#count(`refused ${event.code}`);
      if (run.conversation !== null) run.conversation.running = null;
    }
    if (!isTerminal(event)) return;
    run.ends++;
    if (!run.accepted || run.ends > 1) throw new Error(`a second end of run ${event.id}`);
    this.#count(event.type);
    if (event.type === "done" || event.type === "aborted") this.#checkReport(run, event.report);
    if (event.type === "done") this.#checkReply(event.id, run, event.report, event.reason);
    this.#goOn(event, run);
  }

  /** The reply becomes history, and its next turn is warmed, under two habits. */
  #goOn(event: EngineEvent, run: Submitted): void {
    const { conversation } = run;
    if (conversation === null) return;
    conversation.running = null;
    if (event.type !== "done" || !this.#chance(0.8)) return;
    const reply = this.#engine.tokens(event.id);
    const base = run.prompt.slice(0, -2);
    const kept = [...base, ...assistant(reply)];
    const dropped = [...base, ...assistant(reply.slice(Math.floor(reply.length / 2)))];
    conversation.history = this.#chance(0.6) ? kept : dropped;
    if (conversation.history.length > CTX_TOKENS * 0.8)
      conversation.history = conversation.history.slice(0, 150);
    if (!this.#chance(0.8)) return;
    for (const [variant, history] of [kept, dropped].entries()) {
      const { id, turn, tenant } = conversation;
      const plan = makePlan(this.#memory, [...history, ...user(0, 0)], { tenant });
      const runId = this.#nextId++;
      const prompt = [...plan.tokens];
      const submitted = {
        plan,
        conversation: null,
        prompt,
        maxTokens: 0,
        seed: 0,
        tenant,
        accepted: false,
        ends: 0,
      };
      this.#submitted.set(runId, submitted);
      this.#engine.warm(plan, { id: runId, conversation: id, turn, tenant, variant });
    }
  }

  #checkReport(run: Submitted, report: RunReport): void {
    const { plan } = run;
    const { resumedTokens, warmedTokens, prefilledTokens } = report;
    if (resumedTokens !== 0 && !plan.cuts.includes(resumedTokens))
      throw new Error(`resumed at no cut: ${resumedTokens}`);
    if (warmedTokens > resumedTokens) throw new Error("more tokens warmed than resumed");
    if (report.promptTokens !== plan.tokens.length)
      throw new Error("promptTokens is not the prompt's length");
    const isRequest = run.conversation !== null;
    if (isRequest && resumedTokens + prefilledTokens > plan.tokens.length)
      throw new Error("evaluated more than the prompt");
    if (resumedTokens > 0) this.#count(isRequest ? `resumed ${report.source}` : "warm resumed");
    if (isRequest && warmedTokens > 0) this.#count("resumed what was warmed");
    if (isRequest && report.sequence >= this.#engine.device.lanes)
      throw new Error("a request ran in a spare");
  }

  #checkReply(id: number, run: Submitted, report: RunReport, reason: string): void {
    if (run.conversation === null) return;
    if (report.resumedTokens + report.prefilledTokens !== run.plan.tokens.length) {
      throw new Error(`run ${id} resumed ${report.resumedTokens} and prefilled ${report.prefilledTokens}`);
    }
    const key = `${run.tenant}/${run.seed}/${run.maxTokens}/${run.prompt.join()}`;
    const sampling = { ...GREEDY, temperature: run.seed, seed: run.seed, ignoreEos: false };
    const { maxTokens } = run;
    const cold =
      this.#cold.get(key) ??
      coldRun(
        this.#memory,
        run.plan,
        { maxTokens, sampling },
        { ctxTokens: CTX_TOKENS, real: this.#realCold },
      );
    this.#cold.set(key, cold);
    const { end } = cold;
    if (end.type !== "done") throw new Error(`the cold run ended in ${end.type}`);
    const same =
      end.reason === reason &&
      end.report.logitsHash === report.logitsHash &&
      end.report.tokensHash === report.tokensHash &&
      cold.tokens.join() === this.#engine.tokens(id).join();
    if (!same) throw new Error(`run ${id} is not its cold run: ${JSON.stringify(report)}`);
  }

  #checkEnds(): void {
    for (const [id, run] of this.#submitted) {
      if (run.accepted && run.ends !== 1) throw new Error(`run ${id} ended ${run.ends} times`);
    }
    if (this.#engine.device.samplersOpen !== 0) throw new Error("a sampler was left open");
  }

  #count(what: string): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1;
  }

  #chance(of: number): boolean {
    return this.#random() < of;
  }

  #pick<T>(from: readonly [T, ...T[]]): T;
  #pick<T>(from: readonly T[]): T | undefined;
  #pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random() * from.length)];
  }
}
