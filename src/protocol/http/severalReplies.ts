/** The events of several runs of one request as one stream, each with the place of its run. */
import type { ReplyEvent } from "../../serve/reply.ts";
import type { RunningTurn } from "../../serve/runTurn.ts";
import type { RunningReply } from "./replyResponse.ts";

export interface PlacedEvent {
  readonly index: number;
  readonly event: ReplyEvent;
}

/**
 * `accepted` of all comes before anything else; what one is refused with is thrown there. What one fails with later
 * is the end of all.
 */
export function severalReplies(runs: readonly RunningTurn[]): RunningReply<PlacedEvent> {
  let failed = false;
  return {
    events: placedEvents(runs, () => {
      failed = true;
    }),
    close(whole) {
      for (const run of runs) run.close(whole && !failed);
    },
  };
}

async function* placedEvents(runs: readonly RunningTurn[], onError: () => void): AsyncGenerator<PlacedEvent> {
  const iterators = runs.map(({ events }) => events[Symbol.asyncIterator]());
  const next = async (index: number) => ({ index, result: await iterators[index]?.next() });
  const waiting = new Map(iterators.map((_, index) => [index, next(index)]));
  // The first event of each run, so that a refusal comes before anything was sent.
  const firsts = await Promise.all(waiting.values());
  for (const { index } of firsts) waiting.set(index, next(index));
  for (const { index, result } of firsts) {
    if (result !== undefined && result.done !== true) yield { index, event: result.value };
  }
  while (waiting.size > 0) {
    const { index, result } = await Promise.race(waiting.values());
    if (result === undefined || result.done === true) {
      waiting.delete(index);
      continue;
    }
    waiting.set(index, next(index));
    if (result.value.type === "error") onError();
    yield { index, event: result.value };
  }
}
