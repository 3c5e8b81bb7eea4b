/**
 * Server-sent events out of an async iterable. A comment is sent at once, so that the headers are, and again whenever
 * nothing was sent for a while. The stream is closed before `onClose(true)` is called; where a client leaves,
 * `onClose(false)` is. A failure is sent as one last event: a stream never just stops.
 */
import type { Clock } from "../../serve/Clock.ts";

/** The data of an event, or an event with a name of its own. */
export type SseItem = string | { readonly event: string; readonly data: string };

export interface SseOptions {
  readonly clock: Clock;
  readonly keepAliveMs: number;
  /** Sent where nothing else was for a while; a comment where the protocol has no event for that. */
  readonly keepAlive?: SseItem;
  /** Lines of JSON instead of events; there are no comments then, and `keepAlive` is what is sent at once, too. */
  readonly asLines?: true;
  /** The event for an unexpected failure. */
  readonly failure: (error: unknown) => SseItem;
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

export const LINE_HEADERS = { ...SSE_HEADERS, "content-type": "application/x-ndjson" } as const;

export function sseStream(items: AsyncIterable<SseItem>, options: SseOptions): ReadableStream<Uint8Array> {
  const events = items[Symbol.asyncIterator]();
  const frame = options.asLines === true ? lineOf : eventOf;
  const keepAlive = options.keepAlive === undefined ? KEEP_ALIVE : frame(options.keepAlive);
  let next: Promise<IteratorResult<SseItem>> | undefined;
  let left = false;
  const leave = (): void => {
    left = true;
    options.onClose(false);
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(options.asLines === true ? keepAlive : encoder.encode(": accepted\n\n"));
    },
    async pull(controller) {
      next ??= events.next();
      const timer = silence(options);
      try {
        const result = await Promise.race([next, timer.over]);
        if (left) return;
        if (result === "silence") return controller.enqueue(keepAlive);
        next = undefined;
        if (result.done !== true) return controller.enqueue(frame(result.value));
        controller.close();
        // After the bytes have gone to the socket: what follows may take the thread for a while.
        setImmediate(() => options.onClose(true));
      } catch (error) {
        if (left) return;
        controller.enqueue(frame(options.failure(error)));
        controller.close();
        options.onClose(false);
      } finally {
        timer.stop();
      }
    },
    cancel: leave,
  });
}

/** No line breaks in it: both are JSON, or a word. */
function eventOf(item: SseItem): Uint8Array {
  if (typeof item === "string") return encoder.encode(`data: ${item}\n\n`);
  return encoder.encode(`event: ${item.event}\ndata: ${item.data}\n\n`);
}

function lineOf(item: SseItem): Uint8Array {
  return encoder.encode(`${typeof item === "string" ? item : item.data}\n`);
}

function silence(options: SseOptions): { readonly over: Promise<"silence">; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<"silence">();
  return { over: promise, stop: options.clock.after(options.keepAliveMs, () => resolve("silence")) };
}
