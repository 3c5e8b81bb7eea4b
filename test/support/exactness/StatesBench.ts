/** The real loop over a real, watched device, with the prompts that every way of resuming is tried on. */
import type { CacheType } from "../../../ffi/Context.ts";
import type { Model } from "../../../ffi/Model.ts";
import { LlamaDevice } from "../../../src/engine/LlamaDevice.ts";
import type { Plan } from "../../../src/plan/Plan.ts";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import type { RunReport } from "../../../src/run/RunReport.ts";
import { EngineHarness } from "../EngineHarness.ts";
import { basePrompt, goOn, type PlanSettings, planOf } from "./statesPlan.ts";
import { WatchedDevice } from "./WatchedDevice.ts";

export interface BenchOptions {
  readonly model: Model;
  readonly memory: MemoryKind;
  readonly threads: number;
  readonly ubatch: number;
  readonly settings: PlanSettings;
  readonly lanes: number;
  readonly spares: number;
  readonly replyTokens: number;
  /** Another number, other prompts. */
  readonly seed: number;
  /** Of keys and values; f16 by default. */
  readonly cacheType?: CacheType;
}

/** What a run gave, to be compared bit for bit. */
export interface Gave {
  readonly logitsHash: string | undefined;
  readonly tokensHash: string | undefined;
  readonly tokens: readonly number[];
}

const STATE_RAM_BYTES = 256 * 2 ** 20;
const CTX_TOKENS = 1536;

export class StatesBench implements Disposable {
  readonly base: readonly number[];
  /** Shares nothing with `base`. */
  readonly other: readonly number[];
  /** Runs beside the one that is asked for that must be their cold runs as well. */
  readonly checked: number[] = [];
  readonly device: WatchedDevice;
  readonly #options: BenchOptions;
  readonly #harness: EngineHarness;
  readonly #plans = new Map<number, Plan>();

  constructor(options: BenchOptions) {
    const { model, memory, threads, ubatch, lanes, spares, seed } = options;
    this.#options = options;
    this.base = basePrompt(100 * seed + 1);
    this.other = basePrompt(100 * seed + 51);
    const { cacheType = "f16" } = options;
    const context = { ctxTokens: CTX_TOKENS, ubatch, threads, cacheTypeK: cacheType, cacheTypeV: cacheType };
    this.device = new WatchedDevice(LlamaDevice.on(model, { lanes, spares, context }), (ms) => {
      this.#harness.now += ms;
    });
    this.#harness = new EngineHarness({
      memory,
      real: this.device,
      lanes,
      spares,
      ctxTokens: CTX_TOKENS,
      stateRamBytes: STATE_RAM_BYTES,
      exactDecode: true,
    });
  }

  goOn(cut: number): number[] {
    return goOn(this.base, cut, 100 * this.#options.seed + 90);
  }

  /** End of the system text. */
  get headCut(): number {
    return this.plan(this.base).keep.find(({ reason }) => reason === "head")?.cut ?? 0;
  }

  plan(tokens: readonly number[]): Plan {
    return planOf(this.#options.memory, this.#options.settings, tokens);
  }

  submit(tokens: readonly number[], conversation: string, turn: number): number {
    const plan = this.#announced(tokens);
    const id = this.#harness.submit(plan, { conversation, turn, maxTokens: this.#options.replyTokens });
    this.#plans.set(id, plan);
    return id;
  }

  /** States go to this folder, and come from it. */
  openDisk(path: string): void {
    const warn = (sentence: string): void => {
      throw new Error(sentence);
    };
    this.#harness.loop.states.openDisk({ path, bytes: STATE_RAM_BYTES, fingerprint: 1n, warn });
  }

  /** Everything kept is on disk. */
  async rest(): Promise<void> {
    await this.#harness.loop.states.saveAll();
  }

  drain(): void {
    this.#harness.drain();
  }

  /** A request, to its end. */
  run(tokens: readonly number[], conversation: string, turn: number): number {
    const id = this.submit(tokens, conversation, turn);
    this.drain();
    return id;
  }

  warm(tokens: readonly number[], conversation: string, turn: number, variant = 0): void {
    this.#harness.warm(this.#announced(tokens), { conversation, turn, variant });
    this.drain();
  }

  /** A warm run that is dropped as soon as it has evaluated up to `cut`. */
  warmUpTo(tokens: readonly number[], cut: number, conversation: string, turn: number): void {
    const id = this.#harness.warm(this.#announced(tokens), { conversation, turn });
    const reached = () => this.#harness.of(id).some((e) => e.type === "prefill" && e.evaluated >= cut);
    while (!reached() && this.#harness.loop.step()) {}
    this.#harness.loop.handle({ type: "drop", conversation });
    this.drain();
  }

  stepUntilDecoding(id: number): void {
    while (this.#harness.tokens(id).length < 3 && this.#harness.loop.step()) {}
  }

  alsoCheck(id: number): void {
    this.checked.push(id);
  }

  #announced(tokens: readonly number[]): Plan {
    const plan = this.plan(tokens);
    this.device.announce(plan);
    return plan;
  }

  report(id: number): RunReport {
    return this.#harness.report(id);
  }

  gave(id: number): Gave {
    const { logitsHash, tokensHash } = this.report(id);
    return { logitsHash, tokensHash, tokens: this.#harness.tokens(id) };
  }

  /** The tokens of a run's prompt. */
  promptOf(id: number): readonly number[] {
    const plan = this.#plans.get(id);
    if (plan === undefined) throw new Error(`run ${id} was not submitted`);
    return [...plan.tokens];
  }

  [Symbol.dispose](): void {
    this.device[Symbol.dispose]();
  }
}
