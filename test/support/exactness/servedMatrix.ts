/** The served half of the exactness matrix as tests: one `describe` a model and setting. */
import { beforeAll, describe, expect, test } from "bun:test";
import { naiveCuts } from "../oracle/naiveCuts.ts";
import { TINY_KINDS, type TinyKind, tinyModel } from "../tinyModels/tinyModel.ts";
import { type ChunkSettings, openOracle, settingsOf } from "./oracleSettings.ts";
import { type Case, nameOf, type Played, playMatrix } from "./playMatrix.ts";
import type { Talk } from "./talk.ts";

export interface ServedOptions {
  readonly kind: TinyKind;
  readonly threads: number;
  /** llama.cpp's n_ubatch; on the window model it decides the ring's size. */
  readonly ubatch: number;
  readonly settings: ChunkSettings;
  /** Two cases of one talk are to say the same. */
  readonly cases: readonly Case[];
  /** Whether each case is compared with its own turns unwarmed and in a new process, or with one of its talk's. */
  readonly compared: "cases" | "talks";
}

const CUTS_MIN = 6;
const CELLS_MIN = 512;
const CTX_TOKENS = 2048;
const PLAY_MS_MAX = 600_000;

export function servedMatrix({
  kind,
  threads,
  ubatch,
  settings: base,
  cases,
  compared,
}: ServedOptions): void {
  const settings = settingsOf(kind, base);
  const talks = [...new Set(cases.map(({ talk }) => talk))];

  describe(`${kind}, ${threads} ${threads === 1 ? "thread" : "threads"}, chunks of ${settings.chunkTokensMax}`, () => {
    let played: ReadonlyMap<Case, Played>;

    beforeAll(async () => {
      const model = await tinyModel(kind);
      // The warm pass is undisturbed here: on the window model, too, its live end stands at the last cut.
      using oracle = openOracle(model, { ...settings, tripTokensMin: 0 });
      // Room for both variants of every case: without a spare it needs a full save, which the engine makes only
      // where its measured time fits, and on a busy machine that is chance.
      const spareSequences = 2 * cases.length;
      const flags = { ...settings, threads, ubatchSize: ubatch, ctxSize: CTX_TOKENS, spareSequences };
      played = await playMatrix({
        modelPath: model.path,
        cases,
        compared: compared === "cases" ? cases : oneOfEach(talks, cases, TINY_KINDS.indexOf(kind)),
        oracle: oracle.settings,
        flags: flagsOf(flags),
        serversAtOnce: threads > 1 ? 1 : 2,
      });
      for (const { expected } of played.values()) checkLength(expected.prompt, oracle.settings.rules.openers);
    }, PLAY_MS_MAX);

    /** Long enough to be worth a test: six cuts, 512 cells, and two turns of the window's ring. */
    function checkLength(prompt: readonly number[], openers: readonly (readonly number[])[]): void {
      const { cuts, trips } = naiveCuts(prompt, { openers, ...settings });
      expect(cuts.length).toBeGreaterThanOrEqual(CUTS_MIN);
      expect(prompt.length).toBeGreaterThan(CELLS_MIN);
      if (kind !== "gemma3") return;
      expect(prompt.length).toBeGreaterThan(2 * ringCells(ubatch));
      expect(trips.length).toBeGreaterThan(2);
    }

    const of = (one: Case): Played => {
      const found = played.get(one);
      if (found === undefined) throw new Error(`${nameOf(one)} was not played`);
      return found;
    };

    for (const one of cases) {
      test(nameOf(one), () => {
        checkCase(of(one));
      });
    }

    test("all protocols, streamed and whole, say the same, and other talks say other things", () => {
      const hashes = talks.map((talk) => {
        const same = cases.filter((one) => one.talk === talk).map((one) => of(one).on.second);
        expect(new Set(same.map(({ tokensHash, logitsHash }) => tokensHash + logitsHash)).size).toBe(1);
        return same[0]?.logitsHash;
      });
      expect(new Set(hashes).size).toBeGreaterThan(talks.length / 2);
    });
  });
}

function checkCase({ on, off, cold, expected }: Played): void {
  for (const { first, second } of [on, off]) {
    expect(first.tokensHash).toBe(on.first.tokensHash);
    expect(first.logitsHash).toBe(on.first.logitsHash);
    expect(second.promptTokens).toBe(expected.prompt.length);
  }
  for (const second of [on.second, off.second, cold]) {
    expect(second.tokensHash).toMatch(/^[0-9a-f]{16}$/);
    expect(second.logitsHash).toMatch(/^[0-9a-f]{16}$/);
    expect(second.tokensHash).toBe(cold.tokensHash);
    expect(second.logitsHash).toBe(cold.logitsHash);
    expect(second.reply).toEqual(cold.reply);
    expect(second.finish).toBe("stop");
    expect(second.resumed + second.prefilled).toBe(second.promptTokens);
  }
  expect({ resumed: cold.resumed, warmed: cold.warmed }).toEqual({ resumed: 0, warmed: 0 });
  expect(off.first.warmed).toBe(0);
  expect(off.second.warmed).toBe(0);
  expect(expected.resume).toBeGreaterThan(on.first.promptTokens);
  expect(on.second.resumed).toBe(expected.resume);
  expect(on.second.warmed).toBeGreaterThan(0);
  expect(off.second.resumed).toBeLessThan(on.second.resumed);
}

/** Another protocol and delivery for each talk, and again for the next model. */
function oneOfEach(talks: readonly Talk[], cases: readonly Case[], offset: number): readonly Case[] {
  return talks.flatMap((talk, index) => {
    const own = cases.filter((one) => one.talk === talk);
    return own[(index + offset) % own.length] ?? [];
  });
}

/** The window's 64 tokens and a chunk, in steps of 256. */
function ringCells(ubatch: number): number {
  return Math.ceil((64 + ubatch) / 256) * 256;
}

/** `{ ubatchSize: 128 }` → `--ubatch-size 128`; 0 is the default of each. */
function flagsOf(values: Readonly<Record<string, number>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => [
    `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    String(value),
  ]);
}
