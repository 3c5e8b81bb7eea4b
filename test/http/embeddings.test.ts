/** `/v1/embeddings`, and llama-server's `/embedding` and `/embeddings`, over a fake engine. */
import { expect, test } from "bun:test";
import OpenAI from "openai";
import { EmbedError } from "../../src/run/EmbedError.ts";
import { fakeServer } from "../support/FakeServer.ts";
import { type HttpTarget, json, type Loose, listening, postChat } from "../support/httpClient.ts";
import { embeddingLeft } from "./embeddingLeft.ts";
import { onEachTarget } from "./targets.ts";

const PATH = "/v1/embeddings";
const post = (target: HttpTarget, body: unknown, path = PATH): Promise<Response> =>
  postChat(target, body, { path });

/** The fake's vector: the count of tokens, and 1 and 2; by its length. */
const unit = (tokens: number): number[] => {
  const length = Math.hypot(tokens, 1, 2);
  return [tokens / length, 1 / length, 2 / length];
};
const near = (numbers: readonly number[]) => numbers.map((number) => expect.closeTo(number, 6));

onEachTarget("embeddings", (open) => {
  test("OpenAI's form: text, texts, token ids, lists of them", async () => {
    await using opened = open();
    const answer: Loose = await json(await post(opened.target, { input: ["ab", "c"], model: "m" }));
    expect(answer).toEqual({
      object: "list",
      model: "m",
      data: [
        { object: "embedding", index: 0, embedding: near(unit(2)) },
        { object: "embedding", index: 1, embedding: near(unit(1)) },
      ],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    });
    const sent = async (input: unknown): Promise<number[][]> => {
      expect((await post(opened.target, { input })).status).toBe(200);
      return (opened.server.engine.embeds.at(-1) ?? []).map((tokens) => [...tokens]);
    };
    expect(await sent("ab")).toEqual([[97, 98]]);
    expect(await sent([1, 2])).toEqual([[1, 2]]);
    expect(await sent([[1, 2], [3]])).toEqual([[1, 2], [3]]);
    expect(await sent(["a", [3]])).toEqual([[97], [3]]);
  });

  test("base64 is little-endian 32-bit floats", async () => {
    await using opened = open();
    const answer: Loose = await json(await post(opened.target, { input: "ab", encoding_format: "base64" }));
    const bytes = Buffer.from(answer.data[0].embedding, "base64");
    expect([0, 4, 8].map((at) => bytes.readFloatLE(at))).toEqual(near(unit(2)));
    expect(bytes.length).toBe(12);
  });

  test("dimensions are the first numbers, normalised again; embd_normalize says how", async () => {
    await using opened = open();
    const vector = async (more: object): Promise<number[]> =>
      (await json(await post(opened.target, { input: "ab", ...more }))).data[0].embedding;
    expect(await vector({ dimensions: 2 })).toEqual(near([2 / Math.hypot(2, 1), 1 / Math.hypot(2, 1)]));
    expect(await vector({ dimensions: 3 })).toEqual(near(unit(2)));
    expect(await vector({ embd_normalize: -1 })).toEqual([2, 1, 2]);
    expect(await vector({ embd_normalize: 0 })).toEqual(near([32_760, 16_380, 32_760]));
    expect(await vector({ embd_normalize: 1 })).toEqual(near([0.4, 0.2, 0.4]));
    expect(await vector({ embd_normalize: 3 })).toEqual(near([2, 1, 2].map((x) => x / 17 ** (1 / 3))));
    opened.server.engine.embedding = async () => [new Float32Array(3)];
    expect(await vector({})).toEqual([0, 0, 0]);
    await using plain = open({ embdNormalize: -1 });
    const of = async (more: object): Promise<number[]> =>
      (await json(await post(plain.target, { input: "ab", ...more }))).data[0].embedding;
    expect(await of({})).toEqual([2, 1, 2]);
    expect(await of({ embd_normalize: 1 })).toEqual(near([0.4, 0.2, 0.4]));
  });

  test("EOS is put behind text where the model wants it, and not behind token ids", async () => {
    await using opened = open({ card: { eos: 7 } });
    await post(opened.target, { input: ["a", [1]] });
    expect(opened.server.engine.embeds[0]?.map((tokens) => [...tokens])).toEqual([[97, 7], [1]]);
  });

  test("llama-server's form", async () => {
    await using opened = open();
    for (const [path, body] of [
      ["/embedding", { content: "ab" }],
      ["/embeddings", { input: "ab" }],
    ] as const) {
      const answer = await json(await post(opened.target, body, path));
      expect(answer).toEqual([{ index: 0, embedding: [near(unit(2))] }] as never);
    }
  });

  test("without pooling: each token's vector as it is, where there is room for it", async () => {
    await using opened = open({ ready: { embeddings: { size: 2, tokensMax: 64, pooling: "none" } } });
    opened.server.engine.embedding = async (inputs) =>
      inputs.map((tokens) => Float32Array.from([...tokens].flatMap((token) => [token, 5])));
    const body = { content: ["ab", "c"], embd_normalize: 2 };
    for (const path of ["/embedding", "/embeddings"]) {
      expect(await json(await post(opened.target, body, path))).toEqual([
        {
          index: 0,
          embedding: [
            [97, 5],
            [98, 5],
          ],
        },
        { index: 1, embedding: [[99, 5]] },
      ] as never);
    }
    const refused = await post(opened.target, { input: "a" });
    expect([refused.status, (await json(refused)).error.message]).toEqual([
      400,
      "Pooling type 'none' is not OpenAI's: ask /embedding, or start the server with another `--pooling`.",
    ]);
  });

  test("vectors of each token are as many numbers as one answer holds", async () => {
    const facts = { size: 64, tokensMax: 64, pooling: "none" } as const;
    await using opened = open({ ready: { embeddings: facts }, limits: { embeddingNumbersMax: 192 } });
    opened.server.engine.embedding = async (inputs) =>
      inputs.map(({ length }) => new Float32Array(length * 64));
    const status = async (body: object): Promise<number> =>
      (await post(opened.target, body, "/embedding")).status;
    expect(await status({ content: ["ab", "c"] })).toBe(200);
    expect(await status({ content: ["ab", "cd"], dimensions: 48 })).toBe(200);
    const refused = await post(opened.target, { content: ["ab", "cd"] }, "/embedding");
    expect([refused.status, (await json(refused)).error]).toMatchObject([
      400,
      {
        param: "content",
        message:
          "content: holds 4 tokens, whose vectors are 256 numbers; at most 192 are allowed in one answer.",
      },
    ]);
  });

  test("without --embeddings it says so", async () => {
    await using opened = open({ ready: { embeddings: null, ranking: null } });
    const says = "This server does not support embeddings. Start it with `--embeddings`.";
    const openai = await post(opened.target, { input: "a" });
    expect([openai.status, await openai.json()]).toEqual([
      501,
      { error: { message: says, type: "invalid_request_error", param: null, code: "not_supported" } },
    ]);
    const llama = await post(opened.target, { input: "a" }, "/embedding");
    expect([llama.status, await json(llama)]).toEqual([
      501,
      { error: { code: 501, message: says, type: "not_supported_error", param: null } },
    ] as never);
  });

  test.each<[unknown, string, string]>([
    [{}, "input", "is missing"],
    [{ input: null }, "input", "is missing"],
    [{ input: "" }, "input", "must not be empty"],
    [{ input: [] }, "input", "must not be empty"],
    [{ input: [[]] }, "input[0]", "must not be empty"],
    [{ input: ["a", ""] }, "input[1]", "must not be empty"],
    [{ input: 5 }, "input", "not a number"],
    [{ input: [256] }, "input[0]", "from 0 to 255"],
    [{ input: [[1], [2, -1]] }, "input[1][1]", "from 0 to 255"],
    [{ input: [1.5] }, "input[0]", "not 1.5"],
    [{ input: [null] }, "input[0]", "not null"],
    [{ input: ["a", "b", "c", "x".repeat(65)] }, "input[3]", "holds 65 tokens; an input to embed holds 64"],
    [{ input: "a", encoding_format: "int8" }, "encoding_format", '"float" or "base64", not "int8"'],
    [{ input: "a", encoding_format: 5 }, "encoding_format", "must be a string"],
    [{ input: "a", dimensions: 0 }, "dimensions", "from 1 to 3, not 0"],
    [{ input: "a", dimensions: 4 }, "dimensions", "from 1 to 3, not 4"],
    [{ input: "a", embd_normalize: -2 }, "embd_normalize", "from -1 to"],
    [{ input: "a", model: 5 }, "model", "must be a string"],
    [{ input: Array.from({ length: 2049 }, () => "a") }, "input", "holds 2049 inputs; at most 2048"],
    [[], "body", "must be an object"],
  ])("%j is a 400", async (body, field, says) => {
    await using opened = open();
    const response = await post(opened.target, body);
    const { error } = await json(response);
    expect([response.status, error.param]).toEqual([400, field]);
    expect(error.message).toContain(says);
    expect(opened.server.engine.embeds).toEqual([]);
  });

  test("an input that is too long has both numbers in llama-server's form", async () => {
    await using opened = open();
    const response = await post(opened.target, { content: "x".repeat(65) }, "/embedding");
    expect([response.status, (await json(response)).error]).toMatchObject([
      400,
      { type: "exceed_context_size_error", param: "content", n_prompt_tokens: 65, n_ctx: 64 },
    ]);
  });

  test("what the engine refuses is a status; an unknown model and a missing key as elsewhere", async () => {
    await using opened = open({ apiKeys: ["one"], strict: true });
    const send = (body: object): Promise<Response> =>
      postChat(opened.target, body, { path: PATH, headers: { authorization: "Bearer one" } });
    expect((await post(opened.target, { input: "a" })).status).toBe(401);
    expect((await send({ input: "a", model: "other" })).status).toBe(404);
    const { engine } = opened.server;
    for (const [code, status] of [
      ["queue-full", 429],
      ["closing", 503],
      ["evaluate-failed", 500],
    ] as const) {
      engine.embedding = async () => {
        throw new EmbedError(code, "so it is");
      };
      const response = await send({ input: "a" });
      expect([response.status, (await json(response)).error.message]).toEqual([status, "so it is"]);
      expect(response.headers.has("retry-after")).toBe(status !== 500);
    }
    expect(opened.server.errors).toEqual([]);
  });

  test("a client that leaves is told to the engine", async () => {
    await using opened = open();
    await embeddingLeft(opened, { input: "a" }, PATH);
  });
});

test("the openai package reads them, in the form that it asks for by itself and in floats", async () => {
  const server = fakeServer();
  await using target = listening(server.app);
  const client = new OpenAI({ baseURL: `${target.url}/v1`, apiKey: "none", maxRetries: 0 });
  const own = await client.embeddings.create({ model: "m", input: ["ab", "c"] });
  const floats = await client.embeddings.create({ model: "m", input: "ab", encoding_format: "float" });
  expect(own.data.map(({ embedding }) => embedding)).toEqual([near(unit(2)), near(unit(1))]);
  expect(floats.data[0]?.embedding).toEqual(own.data[0]?.embedding as number[]);
  expect(own.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
});
