/** What one Turn gives, in order; the streamed and the whole-body answer are made of the same events. */

import type { AppError } from "../base/AppError.ts";
import type { AssistantMessage } from "../chat/Message.ts";
import type { RunReport } from "../run/RunReport.ts";
import type { TokenProbs } from "../run/RunSpec.ts";
import type { TurnReport } from "./TurnReport.ts";

export type FinishReason = "stop" | "length" | "tool-calls" | "stop-string";

export interface ReplyEnd {
  readonly type: "end";
  readonly finish: FinishReason;
  /** The stop string that ended the reply, or null. */
  readonly stopString: string | null;
  /** What the client got, edges trimmed, no blank part; the warm pass renders this same object. */
  readonly message: AssistantMessage;
  readonly reasoningTokens: number;
  readonly report: TurnReport;
}

/** The end that a reply's events had. Throws where they stopped without one, which `runTurn` never does. */
export function endOf(end: ReplyEnd | undefined): ReplyEnd {
  if (end === undefined) throw new Error("a reply ended without its end");
  return end;
}

export type ReplyEvent =
  /** Checked, tokenised, queued: headers may go out. */
  | { readonly type: "accepted" }
  /** Tokens, and milliseconds since the run began. */
  | {
      readonly type: "prefill";
      readonly resumed: number;
      readonly evaluated: number;
      readonly total: number;
      readonly ms: number;
    }
  /** What the request asked to be told beside the reply: of the text that follows, or of what is held back. */
  | { readonly type: "told"; readonly probs: readonly TokenProbs[]; readonly report?: RunReport }
  | { readonly type: "reasoning"; readonly text: string }
  /** `token` where nothing is read into the reply: then each token's text is told by itself, "" included. */
  | { readonly type: "text"; readonly text: string; readonly token?: number }
  | { readonly type: "call"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "call-arguments"; readonly index: number; readonly text: string }
  | ReplyEnd
  /** After `accepted` only; before it, the AppError is thrown. */
  | { readonly type: "error"; readonly error: AppError };
