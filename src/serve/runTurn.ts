/**
 * One turn, of messages or of a prompt that the client wrote itself: plan, run, reply. Streamed and whole-body
 * answers are made of the events that this gives. What is refused is thrown before `accepted`; afterwards an error is an event. A client that leaves ends the
 * run, wherever it stands. The warm pass gets the reply only when the answer has been sent whole.
 */

import { AppError } from "../base/AppError.ts";
import type { Turn } from "../chat/Message.ts";
import { withLearned } from "../plan/keptCuts.ts";
import type { Plan } from "../plan/Plan.ts";
import { requestChunks } from "../plan/requestChunks.ts";
import type { EngineRun } from "../run/Engine.ts";
import type { EngineEvent } from "../run/EngineEvent.ts";
import type { RunReport } from "../run/RunReport.ts";
import type { ConversationTurn } from "../run/RunSpec.ts";
import { aroundPlace } from "./aroundPlace.ts";
import { EventQueue } from "./EventQueue.ts";
import { engineError, queueFull } from "./engineError.ts";
import type { PreparedTurn, Warmable } from "./PreparedTurn.ts";
import { prepareChat } from "./prepareChat.ts";
import { prepareRaw, type RawTurn } from "./prepareRaw.ts";
import type { ReplyReader } from "./ReplyReader.ts";
import type { FinishReason, ReplyEvent } from "./reply.ts";
import { type StateScope, stateTenant } from "./StateScope.ts";
import type { TurnDeps } from "./TurnDeps.ts";
import { type ArrivalFacts, type ToldChange, turnReport } from "./TurnReport.ts";

/** Who asks; nothing of it but the tenant changes what is computed. */
export interface Caller {
  readonly tenant: string;
  readonly userAgent: string;
  readonly session: string;
  /** What narrows whom it shares kept states with. */
  readonly scope?: StateScope;
  /** For the log. */
  readonly requestId?: string;
}

export interface RunningTurn {
  /** To be read once. */
  readonly events: AsyncIterable<ReplyEvent>;
  /** Must be called once the answer has left (`whole`), or will not leave. Further calls do nothing. */
  close(whole: boolean): void;
}

/** Throws AppError where the request is refused before the engine has it. */
export function runTurn(turn: Turn, caller: Caller, deps: TurnDeps, signal: AbortSignal): RunningTurn {
  const [only] = runChoices(turn, 1, caller, deps, signal);
  if (only === undefined) throw new Error("one choice is one run");
  return only;
}

/**
 * Several replies to one turn: one prompt, which the second and further runs resume from where the first has
 * prefilled it. The first reply is the one that is warmed: clients go on from it.
 */
export function runChoices(
  turn: Turn,
  choices: number,
  caller: Caller,
  deps: TurnDeps,
  signal: AbortSignal,
): readonly RunningTurn[] {
  checkQueue(deps, choices);
  return choicesOf(prepareChat(turn, deps, choices), caller, deps, signal);
}

/**
 * The same for prompts that no template is put around, all of one request, each with its choices: a reply is text
 * and nothing else. Either all of them are refused or none.
 */
export function runRaw(
  prompts: readonly (readonly RawTurn[])[],
  caller: Caller,
  deps: TurnDeps,
  signal: AbortSignal,
): readonly RunningTurn[] {
  checkQueue(deps, prompts.flat().length);
  const prepared = prompts.map((choices) => choices.map((turn) => prepareRaw(turn, deps)));
  return prepared.flatMap((choices) => choicesOf(choices, caller, deps, signal));
}

function choicesOf(
  prepared: readonly PreparedTurn[],
  caller: Caller,
  deps: TurnDeps,
  signal: AbortSignal,
): readonly RunningTurn[] {
  const [first] = prepared;
  if (first === undefined) return [];
  const arrived = arrive(first, caller, deps);
  return prepared.map(
    (one, index) => new Running(one, { ...arrived, warms: index === 0 }, caller, deps, signal),
  );
}

/** A request that has been given its plan and its conversation. */
interface Arrived {
  /** Whose kept states it may use: `StateScope`. */
  readonly tenant: string;
  readonly plan: Plan;
  readonly conversation: ConversationTurn;
  readonly facts: ArrivalFacts;
  /** Whether its reply is what the conversation goes on from. */
  readonly warms: boolean;
}

function arrive(turn: PreparedTurn, caller: Caller, deps: TurnDeps): Arrived {
  const tenant = stateTenant(caller.tenant, caller.scope, deps.shareStates ?? false);
  const plan = requestChunks(turn.tokens, deps.rules, deps.chainSeed(tenant));
  const conversation = deps.conversations.arrive({ ...caller, tenant, plan, prompt: turn.prompt });
  const wasPlanned = deps.warm.drop(conversation.id);
  const wasWarming = wasPlanned || deps.conversations.wasEnding(conversation);
  deps.engine.drop(conversation.id);
  const planned = withLearned(plan, deps.conversations.learned(conversation));
  const facts = { changed: changedIn(plan.tokens, conversation, deps), wasWarming };
  return { tenant, plan: planned, conversation, facts, warms: true };
}

function changedIn(tokens: Int32Array, turn: ConversationTurn, deps: TurnDeps): ToldChange | null {
  const changed = deps.conversations.changed(turn);
  if (changed === null) return null;
  const { change, beside } = changed;
  if (deps.redact === true) return change;
  const [before, now] = [beside, tokens].map((all) => aroundPlace(deps.vocab, all, change.at));
  return { ...change, before: before ?? "", now: now ?? "" };
}

class Running implements RunningTurn {
  readonly events: AsyncIterable<ReplyEvent>;
  readonly #turn: PreparedTurn;
  readonly #deps: TurnDeps;
  readonly #signal: AbortSignal;
  readonly #reply: ReplyReader;
  readonly #arrived: Arrived;
  readonly #queue = new EventQueue<EngineEvent>();
  readonly #run: EngineRun;
  readonly #onAbort: () => void;
  #accepted = false;
  #closed = false;
  #warmable: Warmable | undefined;
  /**
   * The report at the token that completed a stop string. The engine goes on until it hears of that, sometimes for
   * longer, sometimes not: those tokens are not the reply's.
   */
  #stoppedAt: RunReport | undefined;
  #release: () => void = () => {};
  readonly #answered: () => void;

  constructor(turn: PreparedTurn, arrived: Arrived, caller: Caller, deps: TurnDeps, signal: AbortSignal) {
    this.#turn = turn;
    this.#deps = deps;
    this.#signal = signal;
    this.#reply = turn.reply;
    this.#arrived = arrived;
    this.#answered = arrived.warms ? deps.conversations.runs(arrived.conversation) : () => {};
    const { sampling, maxTokens } = turn;
    const see = deps.activity.begin({
      tenant: caller.tenant,
      requestId: caller.requestId ?? "",
      conversation: arrived.conversation.id,
      promptTokens: turn.tokens.length,
      sampling,
      maxTokens,
    });
    this.#run = deps.engine.run(
      {
        ...turn.wishes,
        ...(this.#reply.stops ? { reports: true } : {}),
        purpose: "request",
        plan: arrived.plan,
        tenant: arrived.tenant,
        conversation: arrived.conversation,
        sampling,
        maxTokens,
      },
      (event) => {
        see(told(event, arrived.facts));
        this.#queue.push(event);
      },
    );
    this.#onAbort = () => this.close(false);
    if (signal.aborted) this.close(false);
    else signal.addEventListener("abort", this.#onAbort, { once: true });
    this.events = this.#events();
  }

  close(whole: boolean): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#answered();
    this.#signal.removeEventListener("abort", this.#onAbort);
    if (!whole) this.#run.cancel();
    if (whole && this.#warmable !== undefined) {
      this.#deps.warm.finished({
        conversation: this.#arrived.conversation,
        tenant: this.#arrived.tenant,
        seed: this.#deps.chainSeed(this.#arrived.tenant),
        ...this.#warmable,
      });
    }
    if (this.#arrived.warms) this.#deps.conversations.left(this.#arrived.conversation);
    this.#release();
  }

  async *#events(): AsyncGenerator<ReplyEvent> {
    for (;;) {
      const event = await this.#queue.next();
      switch (event.type) {
        case "accepted":
          this.#accepted = true;
          yield { type: "accepted" };
          break;
        case "prefill":
          yield event;
          break;
        case "tokens":
          yield* this.#tokens(event);
          if (this.#reply.stopString !== null) this.#run.cancel();
          break;
        case "done":
          yield* this.#end(event.reason, event.report);
          return;
        case "aborted":
          if (this.#reply.stopString !== null) yield* this.#end("stop", event.report);
          else yield* this.#fail(new AppError("closing", "The run was ended before its reply was complete."));
          return;
        case "refused":
        case "failed":
          yield* this.#fail(engineError(event.code, event.message));
          return;
        default:
          break;
      }
    }
  }

  *#tokens({ tokens, probs, report }: Extract<EngineEvent, { type: "tokens" }>): Generator<ReplyEvent> {
    for (const [index, token] of tokens.entries()) {
      const deltas = this.#reply.push(token, probs?.[index]);
      if (this.#reply.stopString !== null) this.#stoppedAt ??= report;
      yield* this.#told(this.#turn.wishes.reports === true ? report : undefined);
      yield* deltas;
    }
  }

  *#told(report?: RunReport): Generator<ReplyEvent> {
    const probs = this.#reply.takeProbs();
    if (probs.length === 0 && report === undefined) return;
    yield { type: "told", probs, ...(report === undefined ? {} : { report }) };
  }

  *#fail(error: AppError): Generator<ReplyEvent> {
    if (!this.#accepted) throw error;
    yield { type: "error", error };
  }

  *#end(reason: "stop" | "length" | "prefilled", report: RunReport): Generator<ReplyEvent> {
    const rest = this.#reply.end();
    yield* this.#told();
    yield* rest;
    const { message, remembered, warmable } = this.#turn.finished();
    this.#answered();
    // Before the end is sent: the client may send its next request at once.
    if (!this.#signal.aborted && !this.#closed && this.#arrived.warms && reason !== "prefilled") {
      const habits = this.#deps.conversations.replied(this.#arrived.conversation, remembered);
      if (habits !== null) this.#warmable = warmable(habits);
      this.#release = this.#deps.warm.replyEnds();
    }
    yield {
      type: "end",
      finish: finishOf(this.#reply, reason),
      stopString: this.#reply.stopString,
      message,
      reasoningTokens: this.#reply.reasoningTokens,
      report: turnReport(this.#stoppedAt ?? report, this.#arrived.facts),
    };
  }
}

/** The log and the metrics are told what the client is told. */
function told(event: EngineEvent, facts: ArrivalFacts): EngineEvent {
  return event.type === "done" || event.type === "aborted"
    ? { ...event, report: turnReport(event.report, facts) }
    : event;
}

function finishOf(reply: ReplyReader, reason: "stop" | "length" | "prefilled"): FinishReason {
  if (reply.stopString !== null) return "stop-string";
  if (reason !== "stop") return "length";
  return reply.callCount > 0 ? "tool-calls" : "stop";
}

function checkQueue({ engine, queueMax }: TurnDeps, runs: number): void {
  if (engine.pending + runs <= queueMax) return;
  // The sentence does not say how many requests are of other clients.
  throw queueFull(`Too many requests run or wait already; the limit is ${queueMax}.`);
}
