/** A client that leaves while its inputs are evaluated is told to the engine, whichever endpoint it asked. */
import { expect } from "bun:test";
import { postChat } from "../support/httpClient.ts";
import type { Opened } from "./targets.ts";

export async function embeddingLeft(opened: Opened, body: object, path: string): Promise<void> {
  const left = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  opened.server.engine.embedding = (_, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        reject(signal.reason);
        left.resolve();
      });
      held.resolve();
    });
  const leave = new AbortController();
  const answer = postChat(opened.target, body, { path, signal: leave.signal });
  answer.catch(() => {});
  await held.promise;
  leave.abort();
  await left.promise;
  await answer.catch(() => {});
  expect(opened.server.errors).toEqual([]);
}
