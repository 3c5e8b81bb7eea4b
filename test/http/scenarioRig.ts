/** What the scenarios of clients are the same in, whatever the protocol. */
import { expect } from "bun:test";
import { type FakeServer, fakeServer } from "../support/FakeServer.ts";
import { type HttpTarget, inProcess, type PostOptions } from "../support/httpClient.ts";

export interface Opened {
  readonly server: FakeServer;
  readonly target: HttpTarget;
}

export function open(...options: Parameters<typeof fakeServer>): Opened {
  const server = fakeServer(...options);
  return { server, target: inProcess(server.app) };
}

/** Tokens of each run's prompt, as text. */
export function prompts(server: FakeServer): string[] {
  return server.engine.runs.map((run) => new TextDecoder().decode(Uint8Array.from(run.spec.plan.tokens)));
}

export const HOLDS = ["queue", "prefill", "decode"] as const;

/** 20: a client that leaves while its run is held ends it, and nothing is warmed. `ask` posts a streamed request. */
export async function leaves(
  hold: (typeof HOLDS)[number],
  ask: (target: HttpTarget, options: PostOptions) => Promise<Response>,
): Promise<void> {
  const { server, target } = open();
  server.engine.script = () => ({ text: "hello", hold });
  const started = server.engine.nextRun();
  const leaving = new AbortController();
  const answer = ask(target, { signal: leaving.signal });
  const run = await started;
  await run.held;
  leaving.abort();
  await run.cancelled;
  await answer.catch(() => {});
  while (run.terminal === undefined) await Bun.sleep(0);
  expect([run.terminal.type, server.engine.pending, server.jobs.length]).toEqual(["aborted", 0, 0]);
}

export interface Silence {
  /** What was sent until now. */
  readonly sent: () => string;
  /** Lets the reply come, and waits for the answer's end. */
  readonly end: () => Promise<void>;
}

/**
 * 21: five minutes in which the model says nothing. `before` is sent at once, and `sign` once more behind each ten
 * seconds; `ask` posts a streamed request.
 */
export async function fiveMinutes(
  before: string,
  sign: string,
  ask: (target: HttpTarget) => Promise<Response>,
): Promise<Silence> {
  const { server, target } = open();
  const { engine, clock } = server;
  engine.script = () => ({ text: "hi", hold: "prefill" });
  const started = engine.nextRun();
  const answer = await ask(target);
  const run = await started;
  let sent = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const part of answer.body ?? []) sent += decoder.decode(part, { stream: true });
  })();
  while (!sent.includes(before)) await Bun.sleep(0);
  const first = countOf(sent, sign);
  for (let tens = 1; tens <= 30; tens += 1) {
    while (clock.timers === 0) await Bun.sleep(0);
    clock.advance(10_000);
    while (countOf(sent, sign) < first + tens) await Bun.sleep(0);
  }
  return {
    sent: () => sent,
    end: async () => {
      run.release();
      await reading;
    },
  };
}

export function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}
