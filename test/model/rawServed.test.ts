/**
 * `/completion` over a true engine, a model of each kind of memory: prompt and reply with more behind them are
 * resumed behind the reply, and every answer has the bits of a run by hand: the whole prompt tokenised at once,
 * cut by the oracle's own rule, on a device that kept nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerProcess } from "../../bench/ServerProcess.ts";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { LlamaDevice } from "../../src/engine/LlamaDevice.ts";
import type { Loose } from "../support/httpClient.ts";
import { lastPlace } from "../support/oracle/expectedResume.ts";
import { naiveCuts } from "../support/oracle/naiveCuts.ts";
import { GREEDY } from "../support/sampling.ts";
import { type TinyKind, tinyModel } from "../support/tinyModels/tinyModel.ts";

const KINDS: readonly TinyKind[] = ["qwen3", "qwen35", "gemma3", "mamba2"];
const PLAY_MS_MAX = 240_000;
const CTX_TOKENS = 2048;
const UBATCH = 128;
const PREDICT = 100;

const TEXT =
  "The workshop stands at the end of the lane, and whoever comes by is asked in. There is tea, a stove, and a list " +
  "of what has to be mended. Nobody guesses a number here: it is read from the list, and said as it was given. ";
const PROMPT = TEXT.repeat(3);
const MORE = " After that the door was closed, and the two of them went home without another word.";
const ASKED = { n_predict: PREDICT, temperature: 0, seed: 1, ignore_eos: true, return_tokens: true };

/** Chunks of 64 tokens: a raw prompt has no message starts. */
function rulesOf(kind: TinyKind) {
  const tripTokensMin = kind === "gemma3" ? 128 : 0;
  return { openers: [], chunkTokensMin: 32, chunkTokensMax: 64, tripTokensMin };
}

async function complete(url: string, prompt: unknown): Promise<Loose> {
  const response = await fetch(`${url}/completion`, {
    method: "POST",
    body: JSON.stringify({ prompt, ...ASKED }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return await response.json();
}

interface Played {
  readonly texts: readonly [Loose, Loose];
  readonly ids: readonly [Loose, Loose];
  readonly cold: Loose;
}

async function play(kind: TinyKind, home: string): Promise<Played> {
  const { path } = await tinyModel(kind);
  const small = ["--chunk-tokens-max", "64", "-ub", String(UBATCH), "-c", String(CTX_TOKENS)];
  const flags = ["-m", path, "-t", "1", "-np", "1", "--debug-hashes", ...small];
  const start = { flags, env: { WARMTURN_HOME: home } };
  await using server = await ServerProcess.start(start);
  const first = await complete(server.url, PROMPT);
  await server.warmIdle();
  const second = await complete(server.url, PROMPT + first.content + MORE);
  await server.warmIdle();
  const ids = [...Array(200).keys()].map((id) => 40 + ((id * 7) % 80));
  const third = await complete(server.url, ids);
  await server.warmIdle();
  const fourth = await complete(server.url, [...ids, ...third.tokens, ...ids.slice(0, 20)]);
  await using other = await ServerProcess.start(start);
  const cold = await complete(other.url, PROMPT + first.content + MORE);
  return { texts: [first, second], ids: [third, fourth], cold };
}

/** The hash of all logits that the reply's tokens were taken from, as `--debug-hashes` reports it. */
function byHand(device: LlamaDevice, tokens: readonly number[], kind: TinyKind): string {
  const { cuts, trips } = naiveCuts(tokens, rulesOf(kind));
  const all = Int32Array.from(tokens);
  device.clear(0);
  let from = 0;
  for (const to of [...cuts, all.length]) {
    device.prefill(0, from, all.subarray(from, to), to === all.length);
    if (trips.includes(to)) expect(device.restore(0, "full", device.save(0, "full"))).toBe(true);
    from = to;
  }
  using sampler = device.sampler({ ...GREEDY, ignoreEos: true }, all);
  let hash = 0n;
  for (let count = 0; count < PREDICT; count++) {
    hash = device.hashLogits(0, hash);
    const sampled = sampler.sample(0);
    if (!("token" in sampled)) throw new Error("a free reply has a dead end");
    if (count + 1 < PREDICT) device.decode([{ seq: 0, pos: from + count, token: sampled.token }]);
  }
  return hash.toString(16).padStart(16, "0");
}

describe.each(KINDS.map((kind) => [kind] as const))("%s", (kind) => {
  let home: string;
  let played: Played;
  let backend: Backend;
  let model: Model;
  let device: LlamaDevice;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "warmturn-raw-"));
    played = await play(kind, home);
    backend = Backend.open();
    model = Model.load(backend, { path: (await tinyModel(kind)).path });
    const context = { ctxTokens: CTX_TOKENS, ubatch: UBATCH, threads: 1 };
    device = LlamaDevice.on(model, { lanes: 1, spares: 1, context });
  }, PLAY_MS_MAX);
  afterAll(async () => {
    device[Symbol.dispose]();
    model.close();
    backend.close();
    await rm(home, { recursive: true, force: true });
  });

  const tokensOf = (text: string): number[] => {
    const { vocab } = model;
    return [...(vocab.addBos ? [vocab.bos] : []), ...vocab.tokenise(text, true)];
  };

  test("text: each answer has the bits of a run by hand", () => {
    const [first, second] = played.texts;
    for (const [answer, text] of [
      [first, PROMPT],
      [second, PROMPT + first.content + MORE],
    ]) {
      const tokens = tokensOf(text);
      expect(answer.tokens_evaluated).toBe(tokens.length);
      expect(answer.warmturn.logits_hash).toBe(byHand(device, tokens, kind));
    }
  });

  test("text: the next prompt is resumed behind the reply, and a cold one says the same", () => {
    const [first, second] = played.texts;
    const { cold } = played;
    const reply = tokensOf(PROMPT + first.content);
    const next = tokensOf(PROMPT + first.content + MORE);
    let shared = 0;
    while (shared < reply.length && reply[shared] === next[shared]) shared++;
    expect(second.warmturn.resumed).toBe(lastPlace(next.slice(0, shared), rulesOf(kind)));
    expect(second.warmturn.resumed).toBeGreaterThan(first.tokens_evaluated);
    expect(second.warmturn.warmed).toBeGreaterThan(0);
    expect(cold.warmturn.resumed).toBe(0);
    expect(cold.content).toBe(second.content);
    for (const hash of ["logits_hash", "tokens_hash"]) {
      expect(cold.warmturn[hash]).toBe(second.warmturn[hash]);
    }
  });

  test("token ids: the same", () => {
    const [first, second] = played.ids;
    expect(first.tokens).toHaveLength(PREDICT);
    expect(second.warmturn.resumed).toBeGreaterThan(first.tokens_evaluated);
    const ids = [...Array(200).keys()].map((id) => 40 + ((id * 7) % 80));
    const next = [...ids, ...first.tokens, ...ids.slice(0, 20)];
    expect(second.warmturn.logits_hash).toBe(byHand(device, next, kind));
  });
});
