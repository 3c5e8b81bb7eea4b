/**
 * One turn, of messages or of a prompt that the client wrote itself: plan, run, reply. Streamed and whole-body answers are made of the events that this gives.
 * What is refused is thrown before `accepted`; afterwards an error is an event. A client that leaves ends the
 * run, wherever it stands. The warm pass gets the reply only when the answer has been sent whole.
 */
import type { Turn } from "../chat/messages.ts";
import type { EngineRun } from "../engine/Engine.ts";
import type { ConversationTurn, EngineEvent, RunReport } from "../engine/protocol.ts";
import { AppError } from "../errors.ts";
import { requestChunks } from "../prompt/requestChunks.ts";
import { EventQueue } from "./EventQueue.ts";
import { engineError, queueFull } from "./engineError.ts";
import type { PreparedTurn, Warmable } from "./PreparedTurn.ts";
import { prepareChat } from "./prepareChat.ts";
import { prepareRaw, type RawTurn } from "./prepareRaw.ts";
import type { ReplyReader } from "./ReplyReader.ts";
import type { FinishReason, ReplyEvent } from "./reply.ts";
import type { TurnDeps } from "./TurnDeps.ts";

/** Who asks; nothing of it but the tenant changes what is computed. */
export interface Caller {
  readonly tenant: string;
  readonly userAgent: string;
  readonly session: string;
}

export interface RunningTurn {
  /** To be read once. */
  readonly events: AsyncIterable<ReplyEvent>;
  /** Must be called once the answer has left (`whole`), or will not leave. Further calls do nothing. */
  close(whole: boolean): void;
}

/** Throws AppError where the request is refused before the engine has it. */
export function runTurn(turn: Turn, caller: Caller, deps: TurnDeps, signal: AbortSignal): RunningTurn {
  checkQueue(deps, 1);
  return new Running(prepareChat(turn, deps), caller, deps, signal);
}

/**
 * The same for prompts that no template is put around, all of one request: each reply is text and nothing else.
 * Either all of them are refused or none.
 */
export function runRaw(
  turns: readonly RawTurn[],
  caller: Caller,
  deps: TurnDeps,
  signal: AbortSignal,
): readonly RunningTurn[] {
  checkQueue(deps, turns.length);
  return turns
    .map((turn) => prepareRaw(turn, deps))
    .map((prepared) => new Running(prepared, caller, deps, signal));
}

class Running implements RunningTurn {
  readonly events: AsyncIterable<ReplyEvent>;
  readonly #turn: PreparedTurn;
  readonly #caller: Caller;
  readonly #deps: TurnDeps;
  readonly #signal: AbortSignal;
  readonly #reply: ReplyReader;
  readonly #conversation: ConversationTurn;
  readonly #queue = new EventQueue<EngineEvent>();
  readonly #run: EngineRun;
  readonly #onAbort: () => void;
  #accepted = false;
  #closed = false;
  #warmable: Warmable | undefined;
  #release: () => void = () => {};

  constructor(turn: PreparedTurn, caller: Caller, deps: TurnDeps, signal: AbortSignal) {
    this.#turn = turn;
    this.#caller = caller;
    this.#deps = deps;
    this.#signal = signal;
    this.#reply = turn.reply;
    const plan = requestChunks(turn.tokens, deps.rules, deps.seedOf(caller.tenant));
    this.#conversation = deps.conversations.arrive({ ...caller, plan, prompt: turn.prompt });
    deps.warm.drop(this.#conversation.id);
    deps.engine.drop(this.#conversation.id);
    const { sampling, maxTokens } = turn;
    const see = deps.activity.begin({
      tenant: caller.tenant,
      promptTokens: turn.tokens.length,
      sampling,
      maxTokens,
    });
    this.#run = deps.engine.run(
      {
        purpose: "request",
        plan,
        tenant: caller.tenant,
        conversation: this.#conversation,
        sampling,
        maxTokens,
      },
      (event) => {
        see(event);
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
    this.#signal.removeEventListener("abort", this.#onAbort);
    if (!whole) this.#run.cancel();
    if (whole && this.#warmable !== undefined) {
      this.#deps.warm.finished({
        conversation: this.#conversation,
        tenant: this.#caller.tenant,
        seed: this.#deps.seedOf(this.#caller.tenant),
        ...this.#warmable,
      });
    }
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
          for (const token of event.tokens) yield* this.#reply.push(token);
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

  *#fail(error: AppError): Generator<ReplyEvent> {
    if (!this.#accepted) throw error;
    yield { type: "error", error };
  }

  *#end(reason: "stop" | "length" | "prefilled", report: RunReport): Generator<ReplyEvent> {
    yield* this.#reply.end();
    const { message, remembered, warmable } = this.#turn.finished();
    // Before the end is sent, so that the client's next request meets what it has to know.
    if (!this.#signal.aborted && !this.#closed && reason !== "prefilled") {
      const habits = this.#deps.conversations.replied(this.#conversation, remembered);
      if (habits !== null) this.#warmable = warmable(habits);
      this.#release = this.#deps.warm.replyEnds();
    }
    yield {
      type: "end",
      finish: finishOf(this.#reply, reason),
      stopString: this.#reply.stopString,
      message,
      reasoningTokens: this.#reply.reasoningTokens,
      report,
    };
  }
}

function finishOf(reply: ReplyReader, reason: "stop" | "length" | "prefilled"): FinishReason {
  if (reply.stopString !== null) return "stop-string";
  if (reason !== "stop") return "length";
  return reply.callCount > 0 ? "tool-calls" : "stop";
}

function checkQueue({ engine, queueMax }: TurnDeps, runs: number): void {
  if (engine.pending + runs <= queueMax) return;
  throw queueFull(`${engine.pending} requests run or wait already; the limit is ${queueMax}.`);
}
