/** What crosses between the HTTP side and the warm Worker: plain data, cloned. */
import type { AssistantMessage, PromptInput } from "../chat/messages.ts";
import type { ConversationTurn, RunSpec } from "../engine/protocol.ts";

/** What this conversation, or else this client, has been seen to do with what it echoes. */
export interface Habits {
  /** `unknown` ranks kept first. */
  readonly reasoning: "kept" | "dropped" | "unknown";
  /** Whether numbers and integer-like keys in arguments come back as JavaScript writes them. */
  readonly numbers: "as-sent" | "javascript" | "unknown";
}

/** One finished reply, whose next turn is to be prefilled. */
export interface WarmJob {
  readonly conversation: ConversationTurn;
  readonly tenant: string;
  /** hash(setup, tenant): starts the key chain. */
  readonly seed: bigint;
  readonly prompt: PromptInput;
  /** As `replyMessage` gave it to the client. */
  readonly reply: AssistantMessage;
  readonly habits: Habits;
}

export type WarmCommand =
  | { readonly type: "job"; readonly job: WarmJob }
  /** The conversation moved on before its job was planned. */
  | { readonly type: "drop"; readonly conversation: string }
  | { readonly type: "close" };

/** A plan to hand to the engine, likeliest variant first. `id` is given by the HTTP side. */
export type WarmRun = Omit<RunSpec, "id">;

export type WarmEvent =
  | { readonly type: "ready" }
  | { readonly type: "runs"; readonly conversation: ConversationTurn; readonly runs: readonly WarmRun[] }
  /** Warming is off for this job; never an error of the request. */
  | { readonly type: "skipped"; readonly conversation: ConversationTurn; readonly why: string };
