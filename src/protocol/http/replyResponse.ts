/**
 * A running turn as a response, streamed or whole. Both wait for the engine's word, so that what is refused has
 * a real status; both close the turn once the answer has left, whole or not.
 */
import { AppError } from "../../base/AppError.ts";
import { LINE_HEADERS, SSE_HEADERS, type SseItem, type SseOptions, sseStream } from "./sseStream.ts";

/** One turn's events, or those of several. */
export interface RunningReply<E> {
  /** To be read once. The first one is there when the engine has accepted all. */
  readonly events: AsyncIterable<E>;
  /** Must be called once the answer has left (`whole`), or will not leave. */
  close(whole: boolean): void;
}

export async function streamResponse<E>(
  running: RunningReply<E>,
  items: (events: AsyncIterable<E>) => AsyncIterable<SseItem>,
  options: Omit<SseOptions, "onClose">,
): Promise<Response> {
  const events = await accepted(running);
  const body = sseStream(items(events), { ...options, onClose: (whole) => running.close(whole) });
  return new Response(body, { headers: options.asLines === true ? LINE_HEADERS : SSE_HEADERS });
}

async function accepted<E>(running: RunningReply<E>): Promise<AsyncIterable<E>> {
  const iterator = running.events[Symbol.asyncIterator]();
  try {
    await iterator.next();
  } catch (error) {
    running.close(false);
    throw error;
  }
  return { [Symbol.asyncIterator]: () => iterator };
}

/** `body` gives the JSON text; it throws the AppError that a stream would have sent. */
export async function wholeResponse<E>(
  running: RunningReply<E>,
  body: (events: AsyncIterable<E>) => Promise<string>,
  onUnforeseen: (error: unknown) => AppError,
): Promise<Response> {
  try {
    const text = await body(running.events);
    // After the answer has gone to the socket.
    setImmediate(() => running.close(true));
    return new Response(text, { headers: { "content-type": "application/json;charset=utf-8" } });
  } catch (error) {
    running.close(false);
    throw error instanceof AppError ? error : onUnforeseen(error);
  }
}
