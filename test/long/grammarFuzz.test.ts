/**
 * Random grammars, damaged ones and triggers on the real sampler: each choice fits, or is a dead end in words, or
 * the grammar was refused in words. The process lives.
 */
import { expect, test } from "bun:test";
import { GrammarError, parseGrammar } from "../../ffi/grammar/parseGrammar.ts";
import { LlamaDevice } from "../../src/engine/LlamaDevice.ts";
import { DeviceError } from "../../src/run/Device.ts";
import type { Sampling } from "../../src/run/RunSpec.ts";
import { grammarOf } from "../support/grammar/checkSchema.ts";
import { CLIENT_SCHEMAS } from "../support/grammar/clientSchemas.ts";
import { GrammarMatcher } from "../support/grammar/GrammarMatcher.ts";
import { GREEDY } from "../support/sampling.ts";
import { Prng } from "../support/tinyModels/Prng.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const GRAMMARS = 4_000;
const TOKENS = 16;

const SAMPLING: Sampling = { ...GREEDY, temperature: 1.5, topP: 1, minP: 0, repeatLastN: 0 };

class Maker {
  readonly #random: Prng;
  readonly #schemas = [...CLIENT_SCHEMAS.values()];

  constructor(seed: string) {
    this.#random = new Prng(seed);
  }

  below(count: number): number {
    return Math.floor(this.#random.uniform() * count);
  }

  pick(list: readonly string[]): string {
    return list[this.below(list.length)] ?? "";
  }

  grammar(): string {
    const kind = this.below(4);
    if (kind === 0) return this.#damaged(grammarOf(this.#schemas[this.below(this.#schemas.length)] ?? true));
    const names = ["root", "a", "b", "c"].slice(0, 1 + this.below(4));
    const text = names.map((name) => `${name} ::= ${this.#alternatives(names, 0)}`).join("\n");
    return kind === 1 ? this.#damaged(text) : text;
  }

  #alternatives(names: readonly string[], depth: number): string {
    const list = Array.from({ length: 1 + this.below(3) }, () =>
      Array.from({ length: this.below(4) }, () => this.#item(names, depth)).join(" "),
    );
    return list.join(" | ");
  }

  #item(names: readonly string[], depth: number): string {
    const kind = this.below(depth > 2 ? 5 : 7);
    const one =
      kind < 2
        ? this.pick(['"a"', '" the"', '"é"', '"\\n"', '"<think>"', '"{\\""'])
        : kind < 4
          ? this.pick(["[a-z]", "[^a-z]", ".", "[ -~]", "[\\x00-\\x1f]", "[é-😀]", "[0-9]"])
          : kind === 4
            ? this.pick(names)
            : `(${this.#alternatives(names, depth + 1)})`;
    return one + this.pick(["", "", "", "*", "+", "?", "{2}", "{0,3}", "{1,}", "{2,300}"]);
  }

  #damaged(text: string): string {
    const chars = Array.from(text);
    for (let count = 1 + this.below(3); count > 0; count -= 1) {
      const at = this.below(chars.length);
      chars.splice(at, this.below(3), this.pick(["", '"', "[", ")", "|", "{9}", "*", "::=", "\\", "😀"]));
    }
    return chars.join("");
  }
}

test(
  `${GRAMMARS} grammars`,
  async () => {
    const { path } = await tinyModel("qwen3");
    const context = { ctxTokens: 512, ubatch: 64, threads: 1 };
    using device = LlamaDevice.open({}, { path }, { lanes: 1, spares: 0, context });
    const { vocab } = device.model;
    const counts = { refused: 0, deadEnds: 0, whole: 0, cut: 0, waited: 0 };
    for (let index = 0; index < GRAMMARS; index += 1) {
      const maker = new Maker(`grammar ${index}`);
      const grammar = maker.grammar();
      const waits = maker.below(4) === 0;
      const trigger = {
        text: maker.pick([" the", "e", "<tool_call>"]),
        onlyAtStart: maker.below(2) === 0,
        skip: null,
      };
      const sampling = { ...SAMPLING, seed: index, grammar, ...(waits ? { grammarTrigger: trigger } : {}) };
      device.clear(0);
      const prompt = vocab.tokenise(maker.pick(["hello", "a b c", "{", "é"]), false);
      device.prefill(0, 0, prompt, true);
      let text = "";
      let ended = false;
      try {
        using sampler = device.sampler(sampling, prompt);
        const bytes: number[] = [];
        for (let count = 0; count < TOKENS; count += 1) {
          const sampled = sampler.sample(0);
          if ("deadEnd" in sampled) {
            expect(sampled.deadEnd).toMatch(/grammar/);
            counts.deadEnds += 1;
            break;
          }
          ended = device.isEnd(sampled.token);
          if (ended) break;
          bytes.push(...vocab.piece(sampled.token));
          device.decode([{ seq: 0, pos: prompt.length + count, token: sampled.token }]);
        }
        // What is left of a character at the end may still come.
        text = new TextDecoder().decode(new Uint8Array(bytes), { stream: true });
        counts[ended ? "whole" : "cut"] += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(DeviceError);
        expect(() => parseGrammar(grammar)).toThrow(GrammarError);
        counts.refused += 1;
        continue;
      }
      if (waits) counts.waited += 1;
      else {
        const matcher = new GrammarMatcher(grammar);
        expect([index, matcher.fitting(text)]).toEqual([index, text.length]);
        if (ended) expect([index, matcher.matches(text)]).toEqual([index, true]);
      }
    }
    console.log(counts);
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(10);
  },
  15 * 60_000,
);
