/** Whose kept states serve whom: an API key's own, a salt's own, and everybody's with --share-states. */
import { describe, expect, test } from "bun:test";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { inProcess, json, postChat } from "../support/httpClient.ts";
import { type LoopServer, loopServer } from "../support/LoopServer.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const MESSAGES = [
  { role: "system", content: "Read before you write, and say what you did. ".repeat(8) },
  { role: "user", content: "Please find out why the parser's test fails on Windows. ".repeat(3) },
];
const KEYS = ["key-one", "key-two"];

const FIELDS = { chat: "/v1/chat/completions", messages: "/v1/messages", completion: "/completion" } as const;

async function resumed(server: LoopServer, key: string, more: object = {}, path: string = FIELDS.chat) {
  const headers = { authorization: `Bearer ${key}` };
  const [system, user] = MESSAGES;
  const body =
    path === FIELDS.completion
      ? { prompt: `${system?.content}${user?.content}`, n_predict: 5 }
      : path === FIELDS.messages
        ? { system: system?.content, messages: [user], max_tokens: 5, model: "local" }
        : { messages: MESSAGES, max_tokens: 5 };
  const answer = await json(await postChat(inProcess(server.app), { ...body, ...more }, { headers, path }));
  await server.idle();
  return answer.warmturn.resumed;
}

const open = (memory: MemoryKind, shareStates = false) =>
  loopServer({ memory, lanes: 2, spares: 1, reply: () => "Yes.", apiKeys: KEYS, shareStates });

describe.each(KINDS)("%s", (memory) => {
  test("one key's states serve no other, unless they are shared", async () => {
    for (const shares of [false, true]) {
      const server = open(memory, shares);
      expect(await resumed(server, "key-one")).toBe(0);
      expect((await resumed(server, "key-two")) > 0).toBe(shares);
      expect(await resumed(server, "key-one")).toBeGreaterThan(0);
    }
  });

  test.each(Object.values(FIELDS))("a salt's states serve that salt alone: %s", async (path) => {
    for (const shares of [false, true]) {
      const server = open(memory, shares);
      expect(await resumed(server, "key-one", {}, path)).toBe(0);
      expect(await resumed(server, "key-one", { cache_salt: "a" }, path)).toBe(0);
      expect(await resumed(server, "key-one", { cache_salt: "b" }, path)).toBe(0);
      expect(await resumed(server, "key-one", { cache_salt: "a" }, path)).toBeGreaterThan(0);
    }
  });

  test("where they are shared, a prompt_cache_key narrows them; within one key it is a hint", async () => {
    const shared = open(memory, true);
    expect(await resumed(shared, "key-one", { prompt_cache_key: "a" })).toBe(0);
    expect(await resumed(shared, "key-two", { prompt_cache_key: "b" })).toBe(0);
    expect(await resumed(shared, "key-two", { prompt_cache_key: "a" })).toBeGreaterThan(0);
    const own = open(memory);
    expect(await resumed(own, "key-one", { prompt_cache_key: "a" })).toBe(0);
    expect(await resumed(own, "key-one", { prompt_cache_key: "b" })).toBeGreaterThan(0);
  });
});
