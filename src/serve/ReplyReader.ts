/** What turns a reply's tokens into its events: by the model's own format, or as they are. */
import type { ReplyDelta } from "../chat/replyParser.ts";
import type { TokenProbs } from "../run/RunSpec.ts";

export interface ReplyReader {
  /** Whether there are stop strings to be found. */
  readonly stops: boolean;
  /** The stop string that was found; nothing is taken any more. */
  readonly stopString: string | null;
  /** Tokens spent in reasoning, its tags included. */
  readonly reasoningTokens: number;
  readonly callCount: number;
  push(token: number, probs?: TokenProbs): readonly ReplyDelta[];
  /** Probabilities of tokens whose text has come out since; a stop string's never do. */
  takeProbs(): readonly TokenProbs[];
  /** The reply has ended: what was held back is text. */
  end(): readonly ReplyDelta[];
}
