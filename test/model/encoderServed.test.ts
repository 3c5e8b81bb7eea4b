/** Encoders and rankers served: the bits that `ffi/` gives by hand, near what the model's definition gives. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerProcess } from "../../bench/ServerProcess.ts";
import { Backend } from "../../ffi/Backend.ts";
import { Context, type Pooling } from "../../ffi/Context.ts";
import { Model } from "../../ffi/Model.ts";
import { type ExamineOptions, examine } from "../../src/cli/doctor/examine.ts";
import { configOf } from "../../src/config/Config.ts";
import { parseFlags } from "../../src/config/parseFlags.ts";
import { openEngine } from "../../src/engine/open/openEngine.ts";
import type { Loose } from "../support/httpClient.ts";
import { scoreByHand } from "../support/tinyModels/bertByHand.ts";
import {
  CLS,
  ENCODER,
  SEP,
  type TinyEncoder,
  tinyEncoder,
  UNIGRAM_BOS,
  UNIGRAM_EOS,
} from "../support/tinyModels/tinyEncoder.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";
import { RANK_TEMPLATE, tinyRanker } from "../support/tinyModels/tinyRanker.ts";

const MS_MAX = 120_000;
const QUERY = "a warm drink [SEP]";
const DOCUMENTS = ["tea is warm", "[CLS] the cold stone", "", "the stove is lit, the tea is cold"];
const TEXTS = ["The tea is warm.", "stone", "tea ".repeat(30)];

let home: string;
let encoder: TinyEncoder;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "warmturn-encoders-"));
  encoder = await tinyEncoder({ pooling: "rank", head: true });
});
afterAll(async () => {
  await encoder[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

const start = (path: string, ...flags: readonly string[]): Promise<ServerProcess> =>
  ServerProcess.start({ flags: ["-m", path, "-t", "1", ...flags], env: { WARMTURN_HOME: home } });

/** Why it does not start. */
async function failure(path: string, ...flags: readonly string[]): Promise<string> {
  try {
    await using _server = await start(path, ...flags);
    return "it started";
  } catch (error) {
    return String(error);
  }
}

async function post(url: string, path: string, body: object): Promise<Loose> {
  const response = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, ...((await response.json()) as Loose) };
}

/** With the model of `path` opened by hand, in a context of that pooling. */
function byHand<T>(path: string, pooling: Pooling, use: (context: Context, model: Model) => T): T {
  using backend = Backend.open();
  using model = Model.load(backend, { path });
  using context = Context.open(model, {
    ctxTokens: 512,
    sequences: 1,
    ubatch: 512,
    threads: 1,
    pooling,
    ...(model.isEncoder ? { flashAttention: "auto" } : {}),
  });
  return use(context, model);
}

/** In the order of the documents. */
async function scores(url: string, documents: readonly string[], more: object = {}): Promise<number[]> {
  const { results } = await post(url, "/v1/rerank", { query: QUERY, documents, ...more });
  const ordered = [...results].sort((a, b) => a.index - b.index);
  return ordered.map(({ relevance_score }: Loose) => relevance_score);
}

describe("an encoder", () => {
  test(
    "ranks by itself where its file says so: query and documents as plain text, near what the head's definition gives",
    async () => {
      await using server = await start(encoder.path);
      const seen = await scores(server.url, DOCUMENTS);
      const inputs = byHand(encoder.path, "rank", (context, { vocab }) =>
        DOCUMENTS.map((document) => {
          const plain = (text: string) => [...vocab.tokenise(text, false)];
          const tokens = [CLS, ...plain(QUERY), SEP, ...plain(document)];
          return { tokens, score: context.embed(Int32Array.from(tokens))[0] ?? Number.NaN };
        }),
      );
      expect(seen).toEqual(inputs.map(({ score }) => score));
      for (const { tokens, score } of inputs) expect(score).toBeCloseTo(scoreByHand(encoder, tokens), 2);
      const { usage, results } = await post(server.url, "/rerank", { query: QUERY, documents: DOCUMENTS });
      expect(usage.prompt_tokens).toBe(inputs.reduce((sum, { tokens }) => sum + tokens.length, 0));
      const sorted = results.map(({ relevance_score }: Loose) => relevance_score);
      expect(sorted).toEqual([...seen].sort((a, b) => b - a));
      // In any order and any company.
      const reversed = [...DOCUMENTS].reverse();
      const [many, ...each] = await Promise.all([
        scores(server.url, reversed),
        ...DOCUMENTS.map((one) => scores(server.url, [one])),
      ]);
      expect(many).toEqual([...seen].reverse());
      expect(each).toEqual(seen.map((score) => [score]));
      const long = await post(server.url, "/v1/rerank", {
        query: QUERY,
        documents: ["tea", "tea ".repeat(200)],
      });
      expect([long.status, long.error.param]).toEqual([400, "documents[1]"]);
      expect(long.error.message).toContain(`holds ${ENCODER.positions} at most`);
    },
    MS_MAX,
  );

  test(
    "embeds, its texts between CLS and SEP; each token where nothing is pooled",
    async () => {
      const poolings = ["mean", "cls", "none"] as const;
      for (const pooling of poolings) {
        await using server = await start(encoder.path, "--embeddings", "--pooling", pooling);
        const wanted = byHand(encoder.path, pooling, (context, { vocab }) =>
          TEXTS.map((text) => [...context.embed(Int32Array.of(CLS, ...vocab.tokenise(text, true), SEP))]),
        );
        const answer = async (content: unknown): Promise<number[][]> => {
          const body = JSON.stringify({ content, embd_normalize: -1 });
          const response = await fetch(`${server.url}/embedding`, { method: "POST", body });
          return ((await response.json()) as Loose).map(({ embedding }: Loose) => embedding.flat());
        };
        expect(await answer(TEXTS)).toEqual(wanted);
        const company = await Promise.all([answer([...TEXTS].reverse()), ...TEXTS.map(answer)]);
        expect(company).toEqual([[...wanted].reverse(), ...wanted.map((one) => [one])]);
        if (pooling === "none") continue;
        const { data } = await post(server.url, "/v1/embeddings", { input: [TEXTS[0], TEXTS[0]] });
        const [one, same] = data.map(({ embedding }: Loose) => embedding as number[]);
        const dot = one.reduce((sum: number, x: number, i: number) => sum + x * (same[i] ?? 0), 0);
        expect(dot).toBeCloseTo(1, 5);
      }
    },
    MS_MAX,
  );

  test(
    "of unigrams, as XLM-RoBERTa's, ranks and embeds by the tokens that llama.cpp makes of its texts",
    async () => {
      await using other = await tinyEncoder({ head: true, unigrams: true });
      const query = "tea  </s> warm";
      const documents = ["the tea\n\nis warm", "<s>", "", "Zürich lit"];
      const wanted = byHand(other.path, "rank", (context, { vocab }) =>
        documents.map((document) => {
          const plain = (text: string) => [...vocab.tokenise(text, false)];
          const tokens = [UNIGRAM_BOS, ...plain(query), UNIGRAM_EOS, ...plain(document), UNIGRAM_EOS];
          expect(tokens.filter((token) => token === UNIGRAM_EOS)).toHaveLength(2);
          return [...context.embed(Int32Array.from(tokens))];
        }),
      );
      await using server = await start(other.path, "--rerank");
      const { results } = await post(server.url, "/v1/rerank", { query, documents });
      const ordered = [...results].sort((a, b) => a.index - b.index);
      expect(ordered.map(({ relevance_score }: Loose) => [relevance_score])).toEqual(wanted);
      await using embeds = await start(other.path, "--embeddings", "--pooling", "mean");
      const text = "  the tea is </s> warm ";
      const { data } = await post(embeds.url, "/v1/embeddings", { input: text, embd_normalize: -1 });
      const embedding = byHand(other.path, "mean", (context, { vocab }) => {
        const tokens = [UNIGRAM_BOS, ...vocab.tokenise(text, true), UNIGRAM_EOS];
        return [...context.embed(Int32Array.from(tokens))];
      });
      expect(data[0].embedding).toEqual(embedding);
    },
    MS_MAX,
  );

  test(
    "writes no text, and says so",
    async () => {
      await using server = await start(encoder.path);
      const answer = await post(server.url, "/v1/chat/completions", {
        messages: [{ role: "user", content: "x" }],
      });
      expect([answer.status, answer.error.message]).toEqual([501, expect.stringContaining("ask /v1/rerank")]);
      const tokens = await post(server.url, "/tokenize", { content: "tea", add_special: true });
      expect(tokens.tokens).toEqual([CLS, encoder.vocabulary.indexOf("\u2581tea"), SEP]);
    },
    MS_MAX,
  );

  test(
    "is told to doctor as what it is",
    async () => {
      const env = { WARMTURN_HOME: home };
      const options: Omit<ExamineOptions, "config"> = { llamaLib: null, openEngine, onStep: () => {} };
      const doctor = (path: string, ...flags: readonly string[]) =>
        examine({ ...options, config: configOf(parseFlags(["-m", path, "-t", "1", ...flags], env), env) });
      const report = doctor(encoder.path);
      expect([report.ok, report.template, report.memory, report.exactness]).toEqual([true, null, null, null]);
      expect(report.model).toMatchObject({ architecture: "bert", train_tokens: ENCODER.positions });
      expect(report.findings).toContainEqual(
        expect.objectContaining({ level: "note", says: expect.stringContaining("An encoder") }),
      );
      await using headless = await tinyEncoder();
      const cannot = doctor(headless.path, "--rerank");
      expect(cannot.ok).toBe(false);
      expect(cannot.findings).toContainEqual(
        expect.objectContaining({
          level: "wrong",
          about: "model",
          says: expect.stringContaining("cannot rank: it has no classification head"),
        }),
      );
    },
    MS_MAX,
  );

  test.each<[string, Parameters<typeof tinyEncoder>[0], readonly string[], string]>([
    ["without a head", { pooling: "mean" }, ["--rerank"], "has no classification head (cls.output.weight)"],
    ["without SEP", { head: true, without: "sep" }, ["--rerank"], "no SEP token"],
    ["without BOS", { head: true, without: "bos" }, ["--embeddings", "--pooling", "rank"], "no BOS token"],
    ["that says it ranks, and has no head", { pooling: "rank" }, [], "has no classification head"],
  ])(
    "%s does not start to rank",
    async (_, options, flags, says) => {
      await using other = await tinyEncoder(options);
      expect(await failure(other.path, ...flags)).toContain(says);
    },
    MS_MAX,
  );
});

test(
  "a model that writes text ranks by its template, as its labels' softmax says, and writes on",
  async () => {
    await using ranker = await tinyRanker();
    await using server = await start(ranker.path, "-c", "512", "-np", "1", "--rerank");
    const seen = await scores(
      server.url,
      DOCUMENTS.map((text) => `${text}<|im_end|>`),
    );
    const wanted = byHand(ranker.path, "last", (context, { vocab }) => {
      const [head, middle, tail] = RANK_TEMPLATE.split(/\{\w+\}/);
      const special = (text: string) => [...vocab.tokenise(text, true)];
      return DOCUMENTS.map((document) => {
        // The spelling is plain: what stands before and behind its bars is tokenised with its neighbours.
        const start = special("<|im_start|>");
        const body = `user\n${(head ?? "").split("user\n")[1]}${QUERY}${middle}${document}<|im_end|>`;
        const tokens = [...start, ...vocab.tokenise(body, false), ...special(tail ?? "")];
        const state = context.embed(Int32Array.from(tokens));
        const [yes = 0, no = 0] = ranker.labels.map((row) =>
          row.reduce((sum, x, i) => sum + x * (state[i] ?? 0), 0),
        );
        return 1 / (1 + Math.exp(no - yes));
      });
    });
    expect(seen.length).toBe(DOCUMENTS.length);
    for (const [i, score] of wanted.entries()) expect(seen[i]).toBeCloseTo(score, 3);
    expect(new Set(seen).size).toBe(seen.length);
    const text = await post(server.url, "/completion", { prompt: "Once", n_predict: 4 });
    expect([text.status, text.tokens_predicted]).toEqual([200, 4]);
  },
  MS_MAX,
);

test(
  "a model without a head does not start to rank",
  async () => {
    const { path } = await tinyModel("qwen3");
    expect(await failure(path, "--rerank")).toContain(
      "has no classification head (cls.output.weight). Leave out --rerank",
    );
  },
  MS_MAX,
);
