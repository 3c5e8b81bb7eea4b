/**
 * A conversation with side requests between its turns, seeded: titles that share its head or have their own, and,
 * while it waits for a tool, subagents of some turns; none larger than itself, in few sequences and little host
 * memory. Its next turn resumes where it would have alone. `SIM_SEED=12 bun test test/sim` replays one.
 */
import { describe, expect, test } from "bun:test";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { EngineHarness } from "../support/EngineHarness.ts";
import { assistant, makePlan, prompt, user, words } from "../support/makePlan.ts";
import { Prng } from "../support/tinyModels/Prng.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const SEEDS = Number(process.env["SIM_SEEDS"] ?? 25);
const ONLY = process.env["SIM_SEED"];
/** Of 400, the one that showed a spare going that was all a turn on a window had. */
const FOUND_SEED = 66;
const TURNS = 5;
const PARTIAL_BYTES = 256;
/** End of system prompt and tools. */
const HEAD_TOKENS = 150;

/** One engine; conversations are histories that go on as their replies and results come. */
class Play {
  readonly #memory: MemoryKind;
  readonly #engine: EngineHarness;
  #salt = 100;

  constructor(memory: MemoryKind, lanes: number) {
    this.#memory = memory;
    // The kept points of one conversation and of two variants, and some; hardly ever a full save.
    const stateRamBytes = 12 * PARTIAL_BYTES;
    this.#engine = new EngineHarness({ memory, lanes, spares: 1, stateRamBytes, debugHashes: false });
  }

  /** Asks, is answered, and has the next turn warmed in two variants; gives what its history has become. */
  turn(id: string, turn: number, history: readonly number[], awaitsResults: boolean) {
    const request = makePlan(this.#memory, prompt(history));
    const { resumedTokens } = this.#engine.run(request, { conversation: id, turn });
    const said = words(history.length, 40);
    const [kept, dropped] = [said, said.slice(20)].map((text) => [...history, ...assistant(text)]);
    if (kept === undefined || dropped === undefined) throw new Error("two variants");
    for (const [variant, next] of [kept, dropped].entries()) {
      const plan = makePlan(this.#memory, [...next, ...user(0, 0)]);
      this.#engine.warm(plan, { conversation: id, turn, variant, awaitsResults });
    }
    this.#engine.drain();
    // A full save of a window goes back to its last trip.
    const least = request.trips.findLast((trip) => trip <= resumedTokens) ?? resumedTokens;
    return { resumed: resumedTokens, least, history: kept };
  }

  /**
   * The same while everything else goes on: the reply is awaited and nothing more, then the loop has `steps` of time.
   * Tells how far into the prompt it resumed.
   */
  overlapping(id: string, turn: number, history: readonly number[], awaitsResults: boolean, steps: number) {
    const plan = makePlan(this.#memory, prompt(history));
    const run = this.#engine.submit(plan, { conversation: id, turn, maxTokens: 3 });
    while (!this.#engine.of(run).some(({ type }) => type === "done")) this.#engine.loop.step();
    const { resumedTokens } = this.#engine.report(run);
    const said = words(history.length, 40);
    const next = [said, said.slice(20)].map((text) => [...history, ...assistant(text)]);
    for (const [variant, tokens] of next.entries()) {
      const warm = makePlan(this.#memory, [...tokens, ...user(0, 0)]);
      this.#engine.warm(warm, { conversation: id, turn, variant, awaitsResults });
    }
    for (let step = 0; step < steps; step += 1) this.#engine.loop.step();
    const places = this.#memory === "window" ? plan.trips : plan.cuts;
    return { resumed: resumedTokens, kept: places.at(-1) ?? 0, history: next[0] ?? [] };
  }

  /** A title, or a subagent of some turns, whose last reply is no call. */
  side(random: Prng, sizeMax: number, mayGoOn: boolean): void {
    const pick = (count: number): number => random.next() % count;
    this.#salt += 1;
    const id = `side-${this.#salt}`;
    const head = pick(2) === 0 ? words(1, HEAD_TOKENS) : words(this.#salt, 20 + pick(HEAD_TOKENS));
    let history = [...head, ...user(this.#salt, 20 + pick(60))];
    const room = Math.floor((sizeMax - history.length) / 80);
    const turns = mayGoOn && pick(3) === 0 ? Math.min(1 + pick(4), room) : 1;
    for (let turn = 1; turn <= turns; turn += 1) {
      history = [...this.turn(id, turn, history, turn < turns).history, ...user(turn, 30)];
    }
  }
}

/** What each turn of the main conversation resumed, with up to `sidesMax` side requests before it. */
function played(memory: MemoryKind, seed: number, sidesMax: number) {
  const random = new Prng(`side ${seed}`);
  const play = new Play(memory, 1 + (seed % 2));
  let history = [...words(1, HEAD_TOKENS), ...user(2, 200)];
  const turns: { readonly resumed: number; readonly least: number }[] = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    // Its first reply is a call, as an agent's is: nothing else tells it from a side request yet.
    const awaits = turn === 1 || random.next() % 2 === 0;
    const { resumed, least, history: next } = play.turn("main", turn, history, awaits);
    turns.push({ resumed, least });
    const sides = sidesMax === 0 ? 0 : 1 + (random.next() % sidesMax);
    for (let side = 0; side < sides; side += 1) play.side(random, next.length, awaits);
    history = [...next, ...user(10 + turn, 30)];
  }
  return turns;
}

/** Turns of an agent with titles between them, nothing drained; what each resumed, and what the one before had kept. */
function overlapped(memory: MemoryKind, seed: number) {
  const random = new Prng(`overlap ${seed}`);
  const pick = (count: number): number => random.next() % count;
  const play = new Play(memory, 1);
  let history = [...words(1, HEAD_TOKENS), ...user(2, 200)];
  const turns: { readonly resumed: number; readonly before: number }[] = [];
  let before = 0;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const main = play.overlapping("main", turn, history, true, pick(5));
    turns.push({ resumed: main.resumed, before });
    before = main.kept;
    for (let side = pick(4); side > 0; side -= 1) {
      const own = [
        ...words(900 + seed, 20 + pick(HEAD_TOKENS)),
        ...user(seed * 50 + turn * 10 + side, 20 + pick(60)),
      ];
      play.overlapping(`title ${turn} ${side}`, 1, own, false, pick(5));
    }
    history = [...main.history, ...user(10 + turn, 30)];
  }
  return turns;
}

describe.each(KINDS)("%s", (memory) => {
  const seeds = ONLY === undefined ? Array.from({ length: SEEDS }, (_, i) => i + 1) : [Number(ONLY)];

  test("side requests at any moment cost an agent nothing of what its last request had kept", () => {
    for (const seed of [...seeds, ...seeds.map((one) => one + 1000), FOUND_SEED]) {
      for (const [turn, { resumed, before }] of overlapped(memory, seed).entries())
        expect({ seed, turn, resumed: Math.max(resumed, before) }).toEqual({ seed, turn, resumed });
    }
  });

  test("the main conversation's turns resume where they would have alone", () => {
    for (const seed of seeds) {
      const beside = played(memory, seed, 6);
      for (const [index, alone] of played(memory, seed, 0).slice(1).entries()) {
        expect(alone.resumed).toBeGreaterThan(350 + 70 * index);
        const { resumed } = beside[index + 1] ?? { resumed: 0 };
        const isKept = memory === "window" ? resumed >= alone.least : resumed === alone.resumed;
        expect({ seed, turn: index + 2, resumed, isKept }).toMatchObject({ isKept: true });
      }
    }
  });
});
