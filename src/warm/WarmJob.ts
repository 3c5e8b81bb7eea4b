/** What crosses between the HTTP side and the warm Worker: plain data, cloned. */
import type { AssistantMessage, PromptInput } from "../chat/Message.ts";
import type { ChunkRules } from "../plan/Plan.ts";
import type { RawPrompt } from "../prompt/RawPrompt.ts";
import type { ConversationTurn, RunSpec } from "../run/RunSpec.ts";

/** What this conversation, or else this client, has been seen to do with what it echoes. */
export interface Habits {
  /** `unknown` ranks kept first. */
  readonly reasoning: "kept" | "dropped" | "unknown";
  /** Whether numbers and integer-like keys in arguments come back as JavaScript writes them. */
  readonly numbers: "as-sent" | "javascript" | "unknown";
}

interface FinishedReply {
  readonly conversation: ConversationTurn;
  readonly tenant: string;
  /** hash(setup, tenant): starts the key chain. */
  readonly seed: bigint;
}

/** One finished reply, whose next turn is to be prefilled. */
export interface WarmJob extends FinishedReply {
  readonly prompt: PromptInput;
  /** As `replyMessage` gave it to the client. */
  readonly reply: AssistantMessage;
  readonly habits: Habits;
}

/** The same of a prompt without messages. */
export interface RawWarmJob extends FinishedReply {
  /** What the next prompt begins with: the prompt with its reply. */
  readonly grown: RawPrompt;
}

export type AnyWarmJob = WarmJob | RawWarmJob;

/** What the warm Worker makes its own vocabulary and Prompter from: the request path's settings. */
export interface WarmSettings {
  readonly modelPath: string;
  /** libllama to load (file), as the request path found it. */
  readonly libraryPath: string;
  /** Prebuilt shim, or null to compile it. */
  readonly shimPath: string | null;
  /** Text of the templates in use. */
  readonly template: string;
  readonly toolUseTemplate: string | null;
  /** The request path's own, so that both cut alike. */
  readonly rules: ChunkRules;
}

export type WarmCommand =
  /** Comes first. */
  | { readonly type: "start"; readonly settings: WarmSettings }
  | { readonly type: "job"; readonly job: AnyWarmJob }
  /** The conversation moved on before its job was planned. */
  | { readonly type: "drop"; readonly conversation: string };

/** A plan to hand to the engine, likeliest variant first. `id` is given by the HTTP side. */
export type WarmRun = Omit<RunSpec, "id">;

/** Each job ends in exactly one `runs` or `skipped`. */
export type WarmEvent =
  | { readonly type: "ready" }
  | {
      readonly type: "runs";
      readonly conversation: ConversationTurn;
      readonly runs: readonly WarmRun[];
      /** One sentence for each variant that is not warmed, and why. */
      readonly notes: readonly string[];
    }
  /** Nothing is warmed for this job; never an error of the request. */
  | { readonly type: "skipped"; readonly conversation: ConversationTurn; readonly why: string }
  /** The Worker could not load its vocabulary or template: warming is off. */
  | { readonly type: "off"; readonly why: string };
