/** Embeddings over a true engine: the bits that `ffi/` gives by hand, also while a reply is written and in any company. */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerProcess } from "../../bench/ServerProcess.ts";
import { Backend } from "../../ffi/Backend.ts";
import { Context } from "../../ffi/Context.ts";
import { Model } from "../../ffi/Model.ts";
import type { Loose } from "../support/httpClient.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const MS_MAX = 120_000;
const UBATCH = 128;
const TEXTS = ["The stove is lit.", "Nobody guesses a number here.", "tea ".repeat(30), "é"];

async function post(url: string, path: string, body: object): Promise<Loose> {
  const response = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, ...((await response.json()) as Loose) };
}

/** As base64, so that bits are compared. */
function byHand(path: string): string[] {
  using backend = Backend.open();
  using model = Model.load(backend, { path });
  using context = Context.open(model, {
    ctxTokens: UBATCH,
    sequences: 1,
    ubatch: UBATCH,
    threads: 1,
    pooling: "mean",
  });
  return TEXTS.map((text) => {
    const vector = context.embed(Int32Array.from(model.vocab.tokenise(text, true)));
    return Buffer.from(vector.buffer).toString("base64");
  });
}

test(
  "served embeddings are those of the model",
  async () => {
    const home = await mkdtemp(join(tmpdir(), "warmturn-embed-"));
    try {
      const { path } = await tinyModel("qwen3");
      const flags = ["-m", path, "-t", "1", "-np", "1", "-c", "1024", "-ub", String(UBATCH)];
      const env = { WARMTURN_HOME: home };
      const more = ["--embeddings", "--pooling", "mean"];
      await using server = await ServerProcess.start({ flags: [...flags, ...more], env });
      const embed = async (input: unknown): Promise<string[]> => {
        const asked = { input, encoding_format: "base64", embd_normalize: -1 };
        const answer = await post(server.url, "/v1/embeddings", asked);
        return answer.data.map(({ embedding }: Loose) => embedding);
      };
      const wanted = byHand(path);
      expect(await embed(TEXTS)).toEqual(wanted);
      const talk = { prompt: "Once", n_predict: 400, temperature: 0, ignore_eos: true };
      const alone = await post(server.url, "/completion", talk);
      const busy = post(server.url, "/completion", talk);
      const company = await Promise.all([embed([...TEXTS].reverse()), ...TEXTS.map(embed)]);
      expect(company).toEqual([[...wanted].reverse(), ...wanted.map((one) => [one])]);
      expect((await busy).content).toBe(alone.content);
      const long = await post(server.url, "/v1/embeddings", { input: ["a", "tea ".repeat(500)] });
      expect([long.status, long.error.param]).toEqual([400, "input[1]"]);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  },
  MS_MAX,
);
