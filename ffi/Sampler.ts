/**
 * llama.cpp's sampler chain with a grammar of our own, for one run. The chain chooses; the one choice is
 * checked; only when it does not fit is the whole vocabulary masked and the chain asked again. A dead end is
 * a value. llama.cpp's grammar is not used: it aborts, throws, or never returns on grammars that parse.
 */

import { highest } from "../src/run/highest.ts";
import type { Sampling, TokenProbs } from "../src/run/RunSpec.ts";
import type { Context } from "./Context.ts";
import { FfiError, statusError, unwrap, withWords } from "./FfiError.ts";
import { HeldGrammar } from "./grammar/HeldGrammar.ts";
import { GrammarError } from "./grammar/parseGrammar.ts";
import { TooAmbiguous } from "./grammar/TokenGrammar.ts";
import { Handle } from "./Handle.ts";
import { shortWay } from "./rows/shortWay.ts";
import { samplerRecipe } from "./samplerRecipe.ts";
import { CODES, type Shim } from "./symbols.ts";

/** A token, already accepted; or the sentence why none is left. */
export type Sampled = { readonly token: number } | { readonly deadEnd: string };

export class Sampler extends Handle {
  readonly #shim: Shim;
  readonly #id: number;
  readonly #deadEnd: string;
  readonly #grammar: HeldGrammar | null;
  readonly #context: Context;
  /** Likeliest tokens that are enough to choose among; 0 where the whole row is needed. */
  readonly #enough: number;
  readonly #taken = new Int32Array(1);
  readonly #vocabSize: number;
  /** The last token was not chosen. */
  #forced = false;
  /** Made when it is first asked for. */
  #candidates: { readonly tokens: Int32Array; readonly probs: Float32Array } | null = null;
  readonly #room = new Int32Array(LEFT_MAX);

  private constructor(context: Context, id: number, sampling: Sampling, grammar: HeldGrammar | null) {
    super("sampler", context);
    const way = shortWay(sampling, context.model.suppressed);
    // Ends that are not to be taken stand among the likeliest, too.
    this.#enough = way === null ? 0 : way + (sampling.ignoreEos ? context.model.ends : 0);
    this.#context = context;
    this.#shim = context.native().shim;
    this.#id = id;
    this.#deadEnd = deadEndSentence(sampling);
    this.#grammar = grammar;
    this.#vocabSize = context.model.vocab.size;
  }

  /**
   * @param history tokens that penalties and DRY look back on before the first generated one: the prompt's end.
   * @throws FfiError: `grammar-invalid` with the place, `range` for a number out of range.
   */
  static open(context: Context, sampling: Sampling, history?: Int32Array): Sampler {
    const { shim, id } = context.native();
    const recipe = samplerRecipe(sampling, context.model.vocab.size, context.ctxTokens);
    const grammar = openGrammar(context, sampling);
    const { biasTokens, biasValues, links, breakers, lookBack } = recipe;
    const opened = withWords(shim, "Cannot start sampling", () =>
      shim.wt_sampler_new(id, recipe.integers, recipe.floats, biasTokens, biasValues, links, breakers),
    );
    const sampler = new Sampler(context, opened, sampling, grammar);
    if (history && history.length > 0 && lookBack > 0) sampler.#lookBack(history.subarray(-lookBack));
    return sampler;
  }

  #lookBack(tokens: Int32Array): void {
    try {
      unwrap(this.#shim.wt_sampler_accept(this.#id, tokens, tokens.length), "Cannot start sampling");
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Samples from a row of the last evaluation. @throws FfiError for a row that is not there, or NaN logits. */
  sample(row: number): Sampled {
    this.use();
    this.#forced = false;
    let token: number;
    try {
      token = this.#fitting(row);
      if (token >= 0) this.#grammar?.accept(token);
    } catch (error) {
      if (!(error instanceof TooAmbiguous)) throw error;
      return { deadEnd: "the grammar is too ambiguous to follow any further" };
    }
    if (token === CODES.WT_DEAD_END) return { deadEnd: this.#deadEnd };
    if (token < 0) throw statusError(token, `Cannot sample from row ${row}`);
    this.#taken[0] = token;
    unwrap(this.#shim.wt_sampler_accept(this.#id, this.#taken, 1), "Cannot accept a token");
    return { token };
  }

  /** Takes a token as if it had been sampled; false where the grammar does not allow it. @throws FfiError */
  force(token: number): boolean {
    this.use();
    try {
      if (this.#grammar !== null && !this.#grammar.allows(token)) return false;
      this.#grammar?.accept(token);
    } catch (error) {
      if (error instanceof TooAmbiguous) return false;
      throw error;
    }
    this.#forced = true;
    this.#taken[0] = token;
    unwrap(this.#shim.wt_sampler_accept(this.#id, this.#taken, 1), "Cannot accept a token");
    return true;
  }

  /**
   * Of the token taken last and the `top` likeliest of the candidates that it was chosen among. To be asked for
   * right behind it: another sampler of the context overwrites them.
   */
  probs(token: number, top: number): TokenProbs {
    this.use();
    const sure = { token, value: 1 };
    if (this.#forced) return { ...sure, top: [sure].slice(0, top) };
    this.#candidates ??= {
      tokens: new Int32Array(this.#vocabSize),
      probs: new Float32Array(this.#vocabSize),
    };
    const { tokens, probs } = this.#candidates;
    const count = unwrap(
      this.#shim.wt_sampler_probs(this.#id, tokens, probs, this.#vocabSize),
      "Cannot read probabilities",
    );
    if (count === 0) return { ...sure, top: [sure].slice(0, top) };
    const left = probs.subarray(0, count);
    const order = highest(left, top, tokens).filter((i) => (probs[i] ?? 0) > 0);
    const at = (i: number) => ({ token: tokens[i] ?? -1, value: probs[i] ?? 0 });
    return {
      token,
      value: probs[tokens.subarray(0, count).indexOf(token)] ?? 0,
      top: order.map(at),
    };
  }

  /** A token that the grammar allows, or a status. */
  #fitting(row: number): number {
    const grammar = this.#grammar;
    let token = this.#choose(row);
    if (grammar === null || (token < 0 && token !== CODES.WT_DEAD_END)) return token;
    if (token >= 0 && grammar.allows(token)) return token;
    for (let tries = 0; tries < REFUSALS_MAX; tries++) {
      const left = this.#left(token);
      const fit = grammar.looksFirst ? left.filter((one) => grammar.allows(one)) : [];
      if (fit.length > 0) {
        return this.#shim.wt_sampler_choose(this.#id, row, Int32Array.from(fit), fit.length);
      }
      const instead = grammar.instead(left);
      if ("only" in instead) {
        const { only } = instead;
        return only.length === 0
          ? CODES.WT_DEAD_END
          : this.#shim.wt_sampler_choose(this.#id, row, only, only.length);
      }
      const { allBut } = instead;
      if (allBut.length === 0) return CODES.WT_DEAD_END;
      token = this.#shim.wt_sampler_choose(this.#id, row, allBut, -allBut.length);
      if (token < 0 && grammar.isWaiting) return token;
      if (token >= 0 && grammar.allows(token)) return token;
    }
    return CODES.WT_DEAD_END;
  }

  /** Among all tokens of the row, or of those that it can be alone. */
  #choose(row: number): number {
    const logits = this.#enough > 0 ? this.#context.searchRow(row) : null;
    if (logits !== null) {
      const few = this.#enough === 1 ? logits.best() : logits.top(this.#enough);
      if (few === "nan") return CODES.WT_BAD_NUMBERS;
      if (typeof few !== "string") return this.#shim.wt_sampler_choose(this.#id, row, few, few.length);
    }
    return this.#shim.wt_sampler_choose(this.#id, row, NO_TOKENS, 0);
  }

  /** The tokens that the chain chose `token` among, or it alone where they are many. */
  #left(token: number): readonly number[] {
    if (token < 0) return [];
    const count = this.#shim.wt_sampler_left(this.#id, this.#room, this.#room.length);
    return count > 0 ? [...this.#room.subarray(0, count)] : [token];
  }

  protected release(): void {
    unwrap(this.#shim.wt_sampler_free(this.#id), "Cannot close the sampler");
  }
}

/** Candidates of one choice that are asked for before the vocabulary is. */
const LEFT_MAX = 64;
/** Never empty: bun:ffi passes no pointer to an empty array. */
const NO_TOKENS = new Int32Array(1);
/** Choices refused while a grammar waits for its trigger. */
const REFUSALS_MAX = 64;

function openGrammar(
  context: Context,
  { grammar = "", grammarTrigger, samplers }: Sampling,
): HeldGrammar | null {
  if (grammar === "") return null;
  if (samplers.includes("infill")) {
    // Such an id ends the reply by itself, whatever the candidates were.
    throw new FfiError("grammar-invalid", "The sampler infill cannot be held to a grammar or a schema.");
  }
  const { vocab } = context.model;
  try {
    return new HeldGrammar(grammar, grammarTrigger, vocab, () => vocab.table);
  } catch (error) {
    if (error instanceof GrammarError) throw new FfiError("grammar-invalid", error.message);
    if (error instanceof TooAmbiguous) throw new FfiError("grammar-invalid", "The grammar is too ambiguous.");
    throw error;
  }
}

function deadEndSentence(sampling: Sampling): string {
  if (!sampling.grammar) return "no token is left to choose from: every one is biased away";
  return sampling.ignoreEos
    ? "the grammar allows no token of the vocabulary here, with the end of the reply forbidden by ignore_eos"
    : "the grammar allows no token of the vocabulary here";
}
