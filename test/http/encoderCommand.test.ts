/** An encoder as a user starts it: from source, or the executable where WARMTURN_TEST_BINARY names it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { commandName, runCommand, type ServedCommand, serveCommand } from "../support/Command.ts";
import { json, type Loose, postChat } from "../support/httpClient.ts";
import { scoreByHand } from "../support/tinyModels/bertByHand.ts";
import { CLS, ENCODER, SEP, type TinyEncoder, tinyEncoder } from "../support/tinyModels/tinyEncoder.ts";

describe(`an encoder (${commandName})`, () => {
  let encoder: TinyEncoder;
  beforeAll(async () => {
    encoder = await tinyEncoder({ pooling: "cls", head: true });
  });
  afterAll(() => encoder[Symbol.asyncDispose]());

  const serve = (...flags: readonly string[]): Promise<ServedCommand> =>
    serveCommand(["-m", encoder.path, "-t", "1", ...flags]);
  const answer = async (server: ServedCommand, path: string, body: unknown): Promise<Loose> =>
    await json(await postChat(server, body, { path }));

  test("ranks with --rerank", async () => {
    await using server = await serve("--rerank");
    const { results } = await answer(server, "/v1/rerank", { query: "tea", documents: ["warm", "cold"] });
    const id = (word: string): number => encoder.vocabulary.indexOf(`\u2581${word}`);
    for (const { index, relevance_score } of results) {
      const tokens = [CLS, id("tea"), SEP, id(["warm", "cold"][index] ?? "")];
      expect(relevance_score).toBeCloseTo(scoreByHand(encoder, tokens), 2);
    }
    expect(results.length).toBe(2);
    const { error } = await answer(server, "/v1/embeddings", { input: "tea" });
    expect(error.message).toContain("another `--pooling` than rank");
  });

  test("embeds without being told to", async () => {
    await using server = await serve("--embd-normalize", "1");
    const { data } = await answer(server, "/v1/embeddings", { input: ["tea", [CLS, 6, SEP]] });
    expect(data[0].embedding.length).toBe(ENCODER.size);
    expect(data[1].embedding).toEqual(data[0].embedding);
    const taxicab = data[0].embedding.reduce((sum: number, x: number) => sum + Math.abs(x), 0);
    expect(taxicab).toBeCloseTo(1, 5);
    const { error } = await answer(server, "/v1/rerank", { query: "tea", documents: ["tea"] });
    expect(error.message).toContain("Start it with `--reranking`");
  });

  test("two ways at once are refused before anything is loaded", async () => {
    const { code, stderr } = await runCommand(["-m", encoder.path, "--rerank", "--pooling", "mean"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("cannot pool by --pooling mean as well")]);
  });
});
