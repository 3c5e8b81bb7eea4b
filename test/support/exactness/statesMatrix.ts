/** The engine's half of the exactness matrix as tests: every way to a kept state, on one model and setting. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Backend } from "../../../ffi/Backend.ts";
import { Model } from "../../../ffi/Model.ts";
import type { Plan } from "../../../src/plan/Plan.ts";
import { type TinyKind, tinyModel } from "../tinyModels/tinyModel.ts";
import { type Gave, StatesBench } from "./StatesBench.ts";
import type { PlanSettings } from "./statesPlan.ts";
import type { Way } from "./ways.ts";

export interface StatesOptions {
  readonly kind: TinyKind;
  readonly threads: number;
  readonly ubatch: number;
  readonly settings: PlanSettings;
  readonly seeds: readonly number[];
  readonly ways: readonly Way[];
  /**
   * `named`: those that are kept by name, or the nearest trips. `all`: as many as the memory can go back to.
   * `last`: the prompt's last alone.
   */
  readonly cuts: "named" | "all" | "last";
  /** 1: the logits of the prompt's last token alone. */
  readonly replyTokens: number;
}

const CUTS_MIN = 6;
const CELLS_MIN = 512;
/** Two threads on busy cores take their time. */
const TEST_MS_MAX = 600_000;

export function statesMatrix(options: StatesOptions): void {
  const { kind, threads, settings } = options;
  describe(`${kind}, ${threads} ${threads === 1 ? "thread" : "threads"}, chunks of ${settings.chunkTokensMax}`, () => {
    let player: Player;

    beforeAll(async () => {
      player = await Player.open(options);
    });
    afterAll(() => player[Symbol.dispose]());

    for (const way of options.ways) {
      test(
        way.name,
        () => {
          for (const seed of options.seeds) player.play(way, seed);
        },
        TEST_MS_MAX,
      );
    }

    test(
      "a cold run in a sequence that other rows were in",
      () => {
        for (const seed of options.seeds) player.playDirty(seed);
      },
      TEST_MS_MAX,
    );
  });
}

/** A model, and the cold runs that everything is compared with, each in a context of its own. */
class Player implements Disposable {
  readonly #options: StatesOptions;
  readonly #backend: Backend;
  readonly #model: Model;
  readonly #memory: Awaited<ReturnType<typeof tinyModel>>["memory"];
  readonly #cold = new Map<string, Gave>();

  private constructor(options: StatesOptions, backend: Backend, model: Model, memory: Player["memory"]) {
    this.#options = options;
    this.#backend = backend;
    this.#model = model;
    this.#memory = memory;
  }

  static async open(options: StatesOptions): Promise<Player> {
    const made = await tinyModel(options.kind);
    const backend = Backend.open();
    return new Player(options, backend, Model.load(backend, { path: made.path, gpuLayers: 0 }), made.memory);
  }

  get memory() {
    return this.#memory;
  }

  play(way: Way, seed: number): void {
    const kept = this.#cutsOf(way, seed);
    expect(kept.length).toBeGreaterThan(0);
    for (const cut of kept) {
      using bench = this.#bench(way.lanes, way.spares, seed);
      const id = way.play(bench, cut);
      const { resumedTokens, source, promptTokens, prefilledTokens } = bench.report(id);
      expect({ cut, resumedTokens, source }).toEqual({
        cut,
        resumedTokens: way.liveEnd ? cut : this.#keptAt(bench.plan(bench.base), cut),
        source: way.source[this.#memory],
      });
      expect(resumedTokens + prefilledTokens).toBe(promptTokens);
      for (const one of [id, ...bench.checked])
        expect(bench.gave(one)).toEqual(this.#coldOf(bench.promptOf(one)));
    }
  }

  playDirty(seed: number): void {
    using bench = this.#bench(1, 0, seed);
    bench.run(bench.other, "d", 1);
    const id = bench.run(bench.base, "a", 1);
    expect(bench.report(id).source).toBe("none");
    expect(bench.gave(id)).toEqual(this.#coldOf(bench.base));
  }

  #bench(lanes: number, spares: number, seed: number): StatesBench {
    return new StatesBench({
      ...this.#options,
      model: this.#model,
      memory: this.#memory,
      lanes,
      spares,
      seed,
    });
  }

  #cutsOf({ at }: Way, seed: number): readonly number[] {
    using bench = this.#bench(1, 0, seed);
    const plan = bench.plan(bench.base);
    expect(plan.cuts.length).toBeGreaterThanOrEqual(CUTS_MIN);
    const named = [...new Set(plan.keep.map(({ cut }) => cut))];
    const last = plan.cuts.at(-1) ?? 0;
    if (at === "between") {
      const unnamed = [...plan.cuts].filter((cut) => cut > CELLS_MIN && !named.includes(cut));
      // Best where no trip is either: there a window's live end is good in its own sequence alone.
      const untripped = unnamed.filter((cut) => !plan.trips.includes(cut));
      return [...untripped, ...unnamed].slice(0, 1);
    }
    if (at === "last" || this.#options.cuts === "last") return [last];
    if (this.#options.cuts === "named") return named;
    return this.#memory === "dense" ? [...plan.cuts] : this.#memory === "window" ? [...plan.trips] : named;
  }

  /** On a window model a kept point means the last trip at or before it. */
  #keptAt(plan: Plan, cut: number): number {
    if (this.#memory !== "window") return cut;
    return [...plan.trips].filter((trip) => trip <= cut).at(-1) ?? 0;
  }

  #coldOf(tokens: readonly number[]): Gave {
    const known = this.#cold.get(tokens.join());
    if (known !== undefined) return known;
    using bench = this.#bench(1, 0, 0);
    expect(tokens.length).toBeGreaterThan(CELLS_MIN);
    expect(bench.plan(tokens).cuts.length).toBeGreaterThanOrEqual(CUTS_MIN);
    const id = bench.run(tokens, "cold", 1);
    expect(bench.report(id).source).toBe("none");
    const gave = bench.gave(id);
    this.#cold.set(tokens.join(), gave);
    return gave;
  }

  [Symbol.dispose](): void {
    this.#model.close();
    this.#backend.close();
  }
}
