/**
 * Server-sent events out of an async iterable. A comment goes out at once, so that headers do, and one more
 * whenever nothing was said for a while. The stream is closed before `onClose(true)` is called; a client that
 * leaves is `onClose(false)`. A failure is one last event, never a stream that just stops.
 */
import type { Clock } from "../../serve/Clock.ts";

export interface SseOptions {
  readonly clock: Clock;
  readonly keepAliveMs: number;
  /** The data of the event that tells of a failure nobody foresaw. */
  readonly failure: (error: unknown) => string;
  readonly onClose: (whole: boolean) => void;
}

const encoder = new TextEncoder();
const KEEP_ALIVE = encoder.encode(": keep-alive\n\n");

export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // Proxies must not gather the stream.
  "x-accel-buffering": "no",
} as const;

export function sseStream(data: AsyncIterable<string>, options: SseOptions): ReadableStream<Uint8Array> {
  const events = data[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<string>> | undefined;
  let left = false;
  const leave = (): void => {
    left = true;
    options.onClose(false);
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(": accepted\n\n"));
    },
    async pull(controller) {
      next ??= events.next();
      const timer = silence(options);
      try {
        const result = await Promise.race([next, timer.over]);
        if (left) return;
        if (result === "silence") return controller.enqueue(KEEP_ALIVE);
        next = undefined;
        if (result.done !== true) return controller.enqueue(encoder.encode(`data: ${result.value}\n\n`));
        controller.close();
        // After the bytes have gone to the socket: what follows may take the thread for a while.
        setImmediate(() => options.onClose(true));
      } catch (error) {
        if (left) return;
        controller.enqueue(encoder.encode(`data: ${options.failure(error)}\n\n`));
        controller.close();
        options.onClose(false);
      } finally {
        timer.stop();
      }
    },
    cancel: leave,
  });
}

function silence(options: SseOptions): { readonly over: Promise<"silence">; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<"silence">();
  return { over: promise, stop: options.clock.after(options.keepAliveMs, () => resolve("silence")) };
}
