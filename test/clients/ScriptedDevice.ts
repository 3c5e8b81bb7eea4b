/** The fake device, whose sampler says what a script tells it to; it counts the tokens that it is made to prefill. */
import type { DeviceSampler } from "../../src/run/Device.ts";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { FakeDevice } from "../support/FakeDevice.ts";

export interface ScriptedDeviceOptions {
  readonly memory: MemoryKind;
  readonly ctxTokens: number;
  readonly endToken: number;
  /** Tokens of the next reply; asked once for each request. */
  readonly nextReply: () => Iterable<number>;
}

/** 8 KiB stand for a hybrid's 64 MiB, and 4 bytes a row for 32 KiB a token: a large model's, 1 to 8192. */
const PARTIAL_BYTES = 8 * 1024;
/** Milliseconds for each token, row or byte moved: a prefill of 2,000 tokens a second, copies of 4 GB a second. */
const MS = {
  prefill: 0.5,
  decode: 20,
  save: 0.002,
  restore: 0.002,
  copy: 0.002,
  truncate: 0,
  clear: 0,
} as const;

export class ScriptedDevice extends FakeDevice {
  /** Virtual milliseconds, so that what is chosen by measured times is chosen alike in every run. */
  readonly clock: { now(): number };
  /** Tokens of prompts prefilled since the start. */
  prefilled = 0;
  readonly #options: ScriptedDeviceOptions;

  constructor(options: ScriptedDeviceOptions) {
    let now = 0;
    super({
      memory: options.memory,
      lanes: 2,
      spares: 1,
      ctxTokens: options.ctxTokens,
      partialBytes: PARTIAL_BYTES,
      onOp: (op, _seq, amount) => {
        now += amount * MS[op];
      },
    });
    this.#options = options;
    this.clock = { now: () => now };
  }

  override prefill(seq: number, pos: number, tokens: Int32Array, logits: boolean): void {
    super.prefill(seq, pos, tokens, logits);
    // One token without logits is no chunk: it is thrown away, and only lets a queued copy be carried out.
    if (tokens.length > 1 || logits) this.prefilled += tokens.length;
  }

  override sampler(): DeviceSampler {
    const tokens = [...this.#options.nextReply()];
    const { endToken } = this.#options;
    let at = 0;
    return {
      sample: () => ({ token: tokens[at++] ?? endToken }),
      force: () => true,
      probs: (token) => ({ token, value: 1, top: [] }),
      [Symbol.dispose]() {},
    };
  }

  override isEnd(token: number): boolean {
    return token === this.#options.endToken;
  }
}
