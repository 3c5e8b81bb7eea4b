/** `/v1/rerank` and llama-server's other names of it, over a fake engine that scores by the count of tokens. */
import { describe, expect, test } from "bun:test";
import { EmbedError } from "../../src/run/EmbedError.ts";
import { type HttpTarget, json, type Loose, postChat } from "../support/httpClient.ts";
import { contentOf, documentation } from "../support/openApi/documentation.ts";
import { embeddingLeft } from "./embeddingLeft.ts";
import { onEachTarget } from "./targets.ts";

const { operations, check, bodyOf } = await documentation();
const PATHS = ["/v1/rerank", "/v1/reranking", "/rerank", "/reranking"] as const;
const post = (target: HttpTarget, body: unknown, path = "/v1/rerank"): Promise<Response> =>
  postChat(target, body, { path });
const BODY = { query: "q", documents: ["a", "bbb", "cc"] };

onEachTarget("rerank", (open) => {
  test.each(PATHS)("%s: the best document first, in Jina's form", async (path) => {
    await using opened = open();
    const response = await post(opened.target, { ...BODY, model: "m" }, path);
    expect([response.status, await json(response)]).toEqual([
      200,
      {
        object: "list",
        model: "m",
        usage: { prompt_tokens: 21, total_tokens: 21 },
        results: [
          { index: 1, relevance_score: 8 },
          { index: 2, relevance_score: 7 },
          { index: 0, relevance_score: 6 },
        ],
      } as never,
    ]);
  });

  test("an input is BOS, query, EOS, SEP, document, EOS", async () => {
    await using opened = open();
    await post(opened.target, { query: "q", documents: ["ab", ""] });
    expect(opened.server.engine.embeds[0]?.map((tokens) => [...tokens])).toEqual([
      [1, 113, 2, 3, 97, 98, 2],
      [1, 113, 2, 3, 2],
    ]);
    await using bare = open({ card: { rank: { template: null, bos: 1, eos: null, sep: 3 } } });
    await post(bare.target, { query: "q", documents: ["ab"] });
    expect(bare.server.engine.embeds[0]?.map((tokens) => [...tokens])).toEqual([[1, 113, 3, 97, 98]]);
  });

  test("or the model's own form", async () => {
    const template = "?{query}!{document}.";
    await using opened = open({ card: { rank: { template, bos: 1, eos: 2, sep: 3 } } });
    await post(opened.target, { query: "{document}", documents: ["x"] });
    const text = new TextDecoder().decode(Uint8Array.from(opened.server.engine.embeds[0]?.[0] ?? []));
    expect(text).toBe("?{document}!x.");
  });

  test("top_n, ties in their order, texts on request", async () => {
    await using opened = open();
    const results = async (more: object): Promise<Loose[]> =>
      (await json(await post(opened.target, { ...BODY, ...more }))).results;
    expect((await results({ top_n: 2 })).map(({ index }) => index)).toEqual([1, 2]);
    expect(await results({ top_n: 0 })).toEqual([]);
    expect((await results({ top_n: 100 })).length).toBe(3);
    expect((await results({ documents: ["b", "a", "xx", "c"] })).map(({ index }) => index)).toEqual([
      2, 0, 1, 3,
    ]);
    expect(await results({ top_n: 1, return_documents: true })).toEqual([
      { index: 1, relevance_score: 8, document: { text: "bbb" } },
    ]);
    opened.server.engine.embedding = async (inputs) => inputs.map((_, i) => Float32Array.of(1 - i, 9));
    expect((await results({})).map(({ relevance_score }) => relevance_score)).toEqual([1, 0, -1]);
  });

  test("the form of Text Embeddings Inference, to `texts`", async () => {
    await using opened = open();
    const texts = ["a", "bbb"];
    const ask = async (more: object): Promise<unknown> =>
      await json(await post(opened.target, { query: "q", texts, ...more }, "/rerank"));
    expect(await ask({})).toEqual([
      { index: 1, score: 8 },
      { index: 0, score: 6 },
    ]);
    expect(await ask({ return_text: true, documents: "unread", top_n: 1 })).toEqual([
      { index: 1, score: 8, text: "bbb" },
    ]);
  });

  test.each<[unknown, string, string]>([
    [{}, "query", "is missing"],
    [{ documents: ["a"] }, "query", "is missing; it must be a string"],
    [{ ...BODY, query: 5 }, "query", "must be a string, not a number"],
    [{ ...BODY, query: ["q"] }, "query", "not an array"],
    [{ query: "q" }, "documents", "is missing"],
    [{ query: "q", documents: null }, "documents", "is missing"],
    [{ query: "q", documents: [] }, "documents", "must not be empty"],
    [{ query: "q", texts: [] }, "texts", "must not be empty"],
    [{ query: "q", documents: "a" }, "documents", "must be an array, not a string"],
    [{ query: "q", documents: ["a", 5] }, "documents[1]", "must be a string, not a number"],
    [{ query: "q", documents: ["a", null] }, "documents[1]", "not null"],
    [{ query: "q", documents: [{ text: "a" }] }, "documents[0]", "not an object"],
    [{ query: "q", texts: [["a"]] }, "texts[0]", "not an array"],
    [
      { query: "q", documents: ["a", "x".repeat(60)] },
      "documents[1]",
      "holds 65 tokens; an input to embed holds 64",
    ],
    [{ query: "q".repeat(70), documents: ["a"] }, "documents[0]", "holds 75 tokens"],
    [{ ...BODY, top_n: -1 }, "top_n", "from 0 to"],
    [{ ...BODY, top_n: 1.5 }, "top_n", "not 1.5"],
    [{ ...BODY, top_n: 1e300 }, "top_n", "from 0 to"],
    [{ ...BODY, top_n: "2" }, "top_n", "not a string"],
    [{ ...BODY, return_documents: 1 }, "return_documents", "true or false"],
    [{ query: "q", texts: ["a"], return_text: "yes" }, "return_text", "true or false"],
    [{ ...BODY, model: 5 }, "model", "must be a string"],
    [
      { query: "q", documents: Array.from({ length: 2049 }, () => "a") },
      "documents",
      "holds 2049 documents; at most 2048",
    ],
    [[], "body", "must be an object"],
  ])("%j is a 400", async (body, field, says) => {
    await using opened = open();
    for (const path of PATHS) {
      const response = await post(opened.target, body, path);
      const { error } = await json(response);
      expect([response.status, error.param]).toEqual([400, field]);
      expect(error.message).toContain(says);
    }
    expect(opened.server.engine.embeds).toEqual([]);
  });

  test("what the server was not started for is a 501 that says how", async () => {
    await using opened = open({ ready: { ranking: null } });
    const says = "This server does not support reranking. Start it with `--reranking`.";
    expect(await json(await post(opened.target, BODY))).toEqual({
      error: { message: says, type: "invalid_request_error", param: null, code: "not_supported" },
    } as never);
    const llama = await post(opened.target, "no JSON", "/rerank");
    expect([llama.status, await json(llama)]).toEqual([
      501,
      { error: { code: 501, message: says, type: "not_supported_error", param: null } } as never,
    ]);
    await using ranks = open({ ready: { embeddings: null } });
    const embeds = await postChat(ranks.target, { input: "a" }, { path: "/v1/embeddings" });
    expect([embeds.status, (await json(embeds)).error.message]).toEqual([
      501,
      expect.stringContaining("another `--pooling` than rank"),
    ]);
  });

  test("what the engine refuses is a status; an unknown model and a missing key as elsewhere", async () => {
    await using opened = open({ apiKeys: ["one"], strict: true });
    const send = (body: object): Promise<Response> =>
      postChat(opened.target, body, { path: "/v1/rerank", headers: { authorization: "Bearer one" } });
    expect((await post(opened.target, BODY)).status).toBe(401);
    expect((await send({ ...BODY, model: "other" })).status).toBe(404);
    opened.server.engine.embedding = async () => {
      throw new EmbedError("queue-full", "so it is");
    };
    const response = await send(BODY);
    expect([response.status, (await json(response)).error.message]).toEqual([429, "so it is"]);
  });

  test("a client that leaves is told to the engine", async () => {
    await using opened = open();
    await embeddingLeft(opened, BODY, "/v1/rerank");
  });

  const WRITING = operations.filter(
    ({ path, operation }) =>
      operation.requestBody !== undefined &&
      (["chat", "completions", "messages", "responses"].includes(operation.tags[0]) ||
        path === "/apply-template"),
  );
  describe.each(WRITING.map((one) => [one.name, one] as const))("%s, of an encoder", (_, one) => {
    test.each([true, false])("is a 501 that says what it does (it ranks: %p)", async (ranks) => {
      await using opened = open({
        ready: { lanes: 0, spares: 0, ...(ranks ? { embeddings: null } : { ranking: null }) },
      });
      const response = await post(opened.target, bodyOf(one).examples[0], one.path);
      expect(response.status).toBe(501);
      const answer: Loose = await json(response);
      expect(answer.error.message).toContain(ranks ? "ask /v1/rerank" : "ask /v1/embeddings");
      check(contentOf(one, 501)["application/json"].schema, answer);
      expect(opened.server.engine.runs).toEqual([]);
    });
  });
});
