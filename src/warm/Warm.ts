/** What the request path sees of the warm pass. Nothing here ever throws or fails a request. */
import type { AnyWarmJob } from "./WarmJob.ts";

export interface Warm {
  /**
   * Called when a reply's last token is there, before its end is sent: from here on `idle` is false, until
   * `finished` has taken the job over and the returned function is called. So a client that asks `/health`
   * right after its reply's last byte never sees a false "idle". Calling the function twice does nothing.
   */
  replyEnds(): () => void;
  /** The reply's stream has closed: predict and prefill its next turn. */
  finished(job: AnyWarmJob): void;
  /** The conversation's next request has arrived, or its reply was cancelled. Gives whether it was still being warmed. */
  drop(conversation: string): boolean;
  /** Nothing is planned, waiting or being warmed. */
  readonly idle: boolean;
  /** Ends the Worker; warm runs in the engine are cancelled. */
  close(): void;
}

/** `--warm off`: nothing is started, nothing is kept. */
export const warmOff: Warm = {
  replyEnds: () => () => {},
  finished: () => {},
  drop: () => false,
  idle: true,
  close: () => {},
};
