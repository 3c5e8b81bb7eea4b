/**
 * Members in any order, as productions made when a walk comes to them: which members were there is a rule of its
 * own, so that there is one for each set that texts really have, and not one for each that is possible.
 */
import type { AnyOrder, Grammar, GrammarSymbol } from "./Grammar.ts";

/** Rules that a walk may add; each is some hundred bytes. */
const RULES_MAX = 200_000;

/** What has been there, and what of it is left to say. */
interface State {
  readonly order: AnyOrder;
  /** Members that may not come again, a bit each. */
  readonly used: bigint;
  readonly count: number;
  /** `next`: a member has to come. `rest`: the end, or a comma and a member. */
  readonly kind: "next" | "rest";
}

export interface MadeRule {
  readonly productions: readonly (readonly GrammarSymbol[])[];
}

export class AnyOrders {
  readonly #first: number;
  readonly #states: State[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #roots: ReadonlyMap<number, number>;

  constructor(grammar: Grammar) {
    this.#first = grammar.names.length;
    this.#roots = new Map(
      grammar.anyOrders.map((order) => [order.rule, this.#rule({ order, used: 0n, count: 0, kind: "next" })]),
    );
  }

  /** Whether the rule is one whose productions are made here. */
  has(rule: number): boolean {
    return rule >= this.#first || this.#roots.has(rule);
  }

  isFull(): boolean {
    return this.#states.length > RULES_MAX;
  }

  nullable(rule: number): boolean {
    const state = this.#states[rule - this.#first];
    return state?.kind === "rest" && this.#mayEnd(state);
  }

  productions(rule: number): readonly (readonly GrammarSymbol[])[] {
    const root = this.#roots.get(rule);
    if (root !== undefined) {
      const mayBeNone = this.#states[root - this.#first]?.order.min === 0;
      return mayBeNone && this.#missing(rule) === 0 ? [[root], []] : [[root]];
    }
    const state = this.#states[rule - this.#first];
    if (state === undefined) return [];
    if (state.kind === "next") return this.#members(state);
    const { comma } = state.order;
    const next = this.#rule({ ...state, kind: "next" });
    const goesOn = state.count < state.order.max ? [comma === null ? [next] : [comma, next]] : [];
    return this.#mayEnd(state) ? [[], ...goesOn] : goesOn;
  }

  #missing(rule: number): number {
    const root = this.#states[(this.#roots.get(rule) ?? -1) - this.#first];
    return root?.order.members.filter(({ required }) => required).length ?? 0;
  }

  #members(state: State): GrammarSymbol[][] {
    const { order, used, count } = state;
    const out: GrammarSymbol[][] = [];
    const missing = missingOf(state);
    for (const [at, { symbol, required, repeats }] of order.members.entries()) {
      const bit = 1n << BigInt(at);
      if ((used & bit) !== 0n) continue;
      // What has to come needs its place.
      if (count + 1 + missing - (required ? 1 : 0) > order.max) continue;
      const rest = this.#rule({
        order,
        used: repeats ? used : used | bit,
        count: counts(order) ? count + 1 : 0,
        kind: "rest",
      });
      out.push([symbol, rest]);
    }
    return out;
  }

  #mayEnd(state: State): boolean {
    return missingOf(state) === 0 && (!counts(state.order) || state.count >= state.order.min);
  }

  #rule(state: State): number {
    const key = `${state.order.rule} ${state.kind} ${state.count} ${state.used.toString(36)}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const rule = this.#first + this.#states.push(state) - 1;
    this.#numbers.set(key, rule);
    return rule;
  }
}

function missingOf({ order, used }: State): number {
  let missing = 0;
  for (const [at, { required }] of order.members.entries()) {
    if (required && (used & (1n << BigInt(at))) === 0n) missing += 1;
  }
  return missing;
}

/** Whether how many there were makes a difference. */
function counts({ min, max }: AnyOrder): boolean {
  return min > 1 || max !== Number.POSITIVE_INFINITY;
}
