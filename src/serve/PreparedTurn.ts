/** A request as the engine is asked for it, whatever it was made of, and what its reply means to the next one. */
import type { AssistantMessage, PromptInput } from "../chat/Message.ts";
import type { RunWishes, Sampling } from "../run/RunSpec.ts";
import type { AnyWarmJob, Habits, RawWarmJob, WarmJob } from "../warm/WarmJob.ts";
import type { ReplyReader } from "./ReplyReader.ts";

export interface PreparedTurn {
  readonly tokens: Int32Array;
  readonly sampling: Sampling;
  readonly maxTokens: number;
  readonly wishes: RunWishes;
  readonly reply: ReplyReader;
  /** What conversations are known by; null for a prompt without messages. */
  readonly prompt: PromptInput | null;
  /** What the client got: asked once the reply has ended. */
  finished(): FinishedTurn;
}

export interface FinishedTurn {
  readonly message: AssistantMessage;
  /** As the next request will show it; null where it is no message. */
  readonly remembered: AssistantMessage | null;
  /** What the warm pass is told. */
  warmable(habits: Habits): Warmable;
}

export type Warmable = Omit<WarmJob, keyof Common> | Omit<RawWarmJob, keyof Common>;
type Common = Pick<AnyWarmJob, "conversation" | "tenant" | "seed">;
