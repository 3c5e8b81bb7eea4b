/**
 * One turn: prompt, plan, run, reply. Streamed and whole-body answers are made of the events that this gives.
 * What is refused is thrown before `accepted`; afterwards an error is an event. A client that leaves ends the
 * run, wherever it stands. The warm pass gets the reply only when the answer has been sent whole.
 */
import { type Continuation, continuationOf, continuedMessage, endOfPrompt } from "../chat/continuation.ts";
import type { ReplyFormat } from "../chat/formats/ReplyFormat.ts";
import type { AssistantMessage, PromptInput, Turn } from "../chat/messages.ts";
import type { Engine, EngineRun } from "../engine/Engine.ts";
import type {
  ConversationTurn,
  EngineEvent,
  ReasoningBudget,
  RunReport,
  Sampling,
} from "../engine/protocol.ts";
import { AppError } from "../errors.ts";
import type { PromptOptions } from "../prompt/Prompter.ts";
import type { ChunkRules } from "../prompt/plan.ts";
import { promptTooLong } from "../prompt/promptTooLong.ts";
import { requestChunks } from "../prompt/requestChunks.ts";
import type { TextVocab } from "../prompt/TextVocab.ts";
import type { Habits } from "../warm/protocol.ts";
import type { Warm } from "../warm/Warm.ts";
import type { Conversations } from "./conversations.ts";
import { EventQueue } from "./EventQueue.ts";
import { engineError, queueFull } from "./engineError.ts";
import { ReplyAssembler } from "./ReplyAssembler.ts";
import type { FinishReason, ReplyEvent } from "./reply.ts";
import { type ReplyGrammarOptions, replyGrammar } from "./replyGrammar.ts";

export interface TurnDeps {
  readonly engine: Engine;
  /** `Prompter` over the template; throws AppError for what the template refuses. */
  readonly prompter: {
    tokens(
      input: PromptInput,
      options: PromptOptions,
    ): {
      readonly tokens: Int32Array;
      readonly opensReasoning: boolean;
      /** Absent: the usual one. */
      readonly format?: ReplyFormat;
      readonly reasoningTags?: Pick<ReasoningBudget, "start" | "end"> | null;
    };
  };
  readonly vocab: Pick<TextVocab, "piece">;
  readonly rules: ChunkRules;
  readonly seedOf: (tenant: string) => bigint;
  readonly conversations: Pick<Conversations, "arrive" | "replied">;
  readonly warm: Warm;
  readonly queueMax: number;
  /** Tokens of reasoning where a request says nothing; missing or Infinity is no limit. */
  readonly reasoningBudget?: number;
  readonly newCallId: () => string;
  /** What was left out of a reply's grammar, one sentence. */
  readonly warn?: (message: string) => void;
}

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
  return new Running(turn, caller, deps, signal);
}

class Running implements RunningTurn {
  readonly events: AsyncIterable<ReplyEvent>;
  /** What the reply answers: with a continued message it is answered by both together. */
  readonly #prompt: PromptInput;
  readonly #continuation: Continuation | null;
  readonly #caller: Caller;
  readonly #deps: TurnDeps;
  readonly #signal: AbortSignal;
  readonly #reply: ReplyAssembler;
  readonly #conversation: ConversationTurn;
  readonly #queue = new EventQueue<EngineEvent>();
  readonly #run: EngineRun;
  readonly #onAbort: () => void;
  #accepted = false;
  #closed = false;
  #warmable: { readonly reply: AssistantMessage; readonly habits: Habits } | undefined;
  #release: () => void = () => {};

  constructor(turn: Turn, caller: Caller, deps: TurnDeps, signal: AbortSignal) {
    this.#caller = caller;
    this.#deps = deps;
    this.#signal = signal;
    if (deps.engine.pending >= deps.queueMax) {
      throw queueFull(`${deps.engine.pending} requests run or wait already; the limit is ${deps.queueMax}.`);
    }
    const continuation = continuationOf(turn);
    const continues = continuation === null ? {} : { continues: continuation.part };
    const { ctxTokens } = deps.engine.ready;
    const prompt = deps.prompter.tokens(turn.prompt, { ...endOfPrompt(continuation), ctxTokens });
    const { tokens, opensReasoning, format } = prompt;
    this.#continuation = continuation;
    checkLength(tokens.length, ctxTokens);
    const sampling = samplingOf(turn, {
      opensReasoning,
      ...continues,
      warn: deps.warn ?? (() => {}),
      ...(format === undefined ? {} : { format }),
    });
    const plan = requestChunks(tokens, deps.rules, deps.seedOf(caller.tenant));
    this.#reply = new ReplyAssembler({
      vocab: deps.vocab,
      stop: turn.stop,
      opensReasoning,
      tools: turn.prompt.tools,
      ...(format === undefined ? {} : { format }),
      ...continues,
      newCallId: deps.newCallId,
    });
    this.#prompt = continuation?.history ?? turn.prompt;
    this.#conversation = deps.conversations.arrive({ ...caller, plan, prompt: this.#prompt });
    deps.warm.drop(this.#conversation.id);
    deps.engine.drop(this.#conversation.id);
    this.#run = deps.engine.run(
      {
        purpose: "request",
        plan,
        tenant: caller.tenant,
        conversation: this.#conversation,
        sampling: { ...sampling, ...budgetOf(turn, deps, prompt) },
        maxTokens: turn.maxTokens,
      },
      (event) => this.#queue.push(event),
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
        prompt: this.#prompt,
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
    const message = this.#reply.message();
    // Before the end is sent, so that the client's next request meets what it has to know.
    if (!this.#signal.aborted && !this.#closed && reason !== "prefilled") {
      const reply = this.#continuation === null ? message : continuedMessage(this.#continuation, message);
      const habits = this.#deps.conversations.replied(this.#conversation, reply);
      if (habits !== null) this.#warmable = { reply, habits };
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

function finishOf(reply: ReplyAssembler, reason: "stop" | "length" | "prefilled"): FinishReason {
  if (reply.stopString !== null) return "stop-string";
  if (reason !== "stop") return "length";
  return reply.callCount > 0 ? "tool-calls" : "stop";
}

function checkLength(promptTokens: number, ctxTokens: number): void {
  if (promptTokens === 0) {
    const message = "The model's chat template made an empty prompt of these messages.";
    throw new AppError("template-refused", message, { field: "messages" });
  }
  if (promptTokens >= ctxTokens) throw promptTooLong(promptTokens, ctxTokens);
}

function budgetOf(
  turn: Turn,
  deps: TurnDeps,
  { reasoningTags, opensReasoning: opened }: ReturnType<TurnDeps["prompter"]["tokens"]>,
): Pick<Sampling, "reasoningBudget"> {
  const tokensMax = turn.reasoningBudget ?? deps.reasoningBudget ?? Number.POSITIVE_INFINITY;
  if (!reasoningTags || tokensMax === Number.POSITIVE_INFINITY) return {};
  return { reasoningBudget: { ...reasoningTags, tokensMax, opened } };
}

/** A client's own grammar is taken as it is. */
function samplingOf(turn: Turn, options: ReplyGrammarOptions): Sampling {
  if (turn.sampling.grammar !== undefined) return turn.sampling;
  return { ...turn.sampling, ...replyGrammar({ ...turn, tools: turn.prompt.tools }, options) };
}
