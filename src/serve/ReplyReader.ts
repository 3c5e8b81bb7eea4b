/** What turns a reply's tokens into its events: by the model's own format, or as they are. */
import type { ReplyDelta } from "../chat/replyParser.ts";

export interface ReplyReader {
  /** The stop string that was found; nothing is taken any more. */
  readonly stopString: string | null;
  /** Tokens spent in reasoning, its tags included. */
  readonly reasoningTokens: number;
  readonly callCount: number;
  push(token: number): readonly ReplyDelta[];
  /** The reply has ended: whatever was held back is what it says. */
  end(): readonly ReplyDelta[];
}
