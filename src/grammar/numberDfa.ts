/**
 * Numbers within bounds, and multiples, as automata over their decimal spelling (without an exponent): the
 * digits are compared with the bound's one after the other, and remainders are carried along.
 */
import { type CharSet, charsOf } from "./CharSet.ts";
import type { Decimal } from "./Decimal.ts";
import { ANY_TEXT, both, type Dfa, explore } from "./Dfa.ts";
import { patternDfa } from "./patternDfa.ts";
import { DfaTooLarge } from "./Work.ts";

export interface Bound {
  readonly value: Decimal;
  /** The bound itself is not allowed. */
  readonly exclusive: boolean;
}

export interface NumberRules {
  readonly whole: boolean;
  readonly min: Bound | null;
  readonly max: Bound | null;
  readonly multiples: readonly Decimal[];
}

const WHOLE_DIGITS_MAX = 16;
/** Every number of so many digits is a double of its own. */
const EXACT_DIGITS_MAX = 15;
/** And so are its hundredths and thousandths. */
const SMALL_DIGITS_MAX = 9;
const FRACTION_DIGITS_MAX = 20;

/** Throws DfaTooLarge. Empty where no number fits. */
export function numberDfa(rules: NumberRules): Dfa {
  const isFractional = rules.multiples.some(({ fraction }) => fraction !== "");
  const digits = Math.max(
    rules.multiples.length === 0 ? WHOLE_DIGITS_MAX : isFractional ? SMALL_DIGITS_MAX : EXACT_DIGITS_MAX,
    (rules.min?.value.whole.length ?? 0) + 1,
    (rules.max?.value.whole.length ?? 0) + 1,
  );
  const fraction = rules.whole ? "" : `(\\.[0-9]{1,${FRACTION_DIGITS_MAX}})?`;
  let dfa = patternDfa(`^-?(0|[1-9][0-9]{0,${digits - 1}})${fraction}$`);
  if (rules.min !== null) dfa = both(dfa, bounded(rules.min, 1));
  if (rules.max !== null) dfa = both(dfa, bounded(rules.max, -1));
  for (const multiple of rules.multiples) dfa = both(dfa, multiplesOf(multiple));
  return dfa;
}

interface Comparing {
  /** "" before anything was read. */
  readonly sign: "" | "-" | "+";
  /** Digits read before the point, no more than one beyond the bound's; then behind it. */
  readonly whole: number;
  readonly fraction: number;
  readonly behind: boolean;
  /** Of the digits so far, as if both had as many. */
  readonly order: number;
}

/** `side` 1: not below the bound; -1: not above it. */
function bounded({ value, exclusive }: Bound, side: 1 | -1): Dfa {
  const target = value.whole === "" ? "0" : value.whole;
  const fits = (state: Comparing): boolean => {
    if (state.sign === "") return false;
    const magnitude = magnitudeOrder(state, target.length, value.fraction);
    const order = orderOf(state, magnitude, value);
    return order * side > 0 || (order === 0 && !exclusive);
  };
  const start: Comparing = { sign: "", whole: 0, fraction: 0, behind: false, order: 0 };
  return explore(
    start,
    (state) => JSON.stringify(state),
    (state) => {
      const edges: { set: CharSet; to: Comparing }[] = [];
      if (state.sign === "") edges.push({ set: charsOf("-"), to: { ...state, sign: "-" } });
      const signed: Comparing = state.sign === "" ? { ...state, sign: "+" } : state;
      if (signed.whole > 0 && !signed.behind)
        edges.push({ set: charsOf("."), to: pointed(signed, target.length) });
      for (const [digits, order] of digitSteps(signed, target, value.fraction)) {
        edges.push({ set: digits, to: stepped(signed, order, target.length, value.fraction.length) });
      }
      return { edges, accepts: fits(state) };
    },
  );
}

/** At the point the lengths decide; from here on only equal ones go on comparing. */
function pointed(state: Comparing, wholeLength: number): Comparing {
  const order = state.whole === wholeLength ? state.order : Math.sign(state.whole - wholeLength);
  return { ...state, behind: true, whole: wholeLength, order };
}

function stepped(state: Comparing, order: number, wholeLength: number, fractionLength: number): Comparing {
  if (state.behind) return { ...state, order, fraction: Math.min(state.fraction + 1, fractionLength + 1) };
  return { ...state, order, whole: Math.min(state.whole + 1, wholeLength + 1) };
}

/** Digits by the order that they lead to. */
function digitSteps(state: Comparing, whole: string, fraction: string): [CharSet, number][] {
  const bound = state.behind ? (fraction[state.fraction] ?? "0") : whole[state.whole];
  if (state.order !== 0 || bound === undefined) return [[charsOf("0123456789"), state.order]];
  const digit = Number(bound);
  const all = "0123456789";
  const steps: [string, number][] = [
    [all.slice(0, digit), -1],
    [bound, 0],
    [all.slice(digit + 1), 1],
  ];
  return steps.filter(([digits]) => digits !== "").map(([digits, order]) => [charsOf(digits), order]);
}

function magnitudeOrder(state: Comparing, wholeLength: number, fraction: string): number {
  if (!state.behind && state.whole !== wholeLength) return Math.sign(state.whole - wholeLength);
  if (state.order !== 0) return state.order;
  const left = state.behind ? fraction.slice(state.fraction) : fraction;
  return /[1-9]/.test(left) ? -1 : 0;
}

/** Order of the signed number and the signed bound. */
function orderOf(state: Comparing, magnitude: number, bound: Decimal): number {
  const negative = state.sign === "-";
  if (!negative && !bound.negative) return magnitude;
  if (negative && bound.negative) return -magnitude;
  // "-0" is 0; it is told from the rest only where the bound is 0 itself, which is never negative.
  const isZeroBound = bound.whole === "" && bound.fraction === "";
  if (negative) return isZeroBound && magnitude === 0 ? 0 : -1;
  return 1;
}

/** Decimal numbers that are whole multiples of `step`. */
function multiplesOf(step: Decimal): Dfa {
  const places = step.fraction.length;
  const divisor = BigInt(step.whole + step.fraction || "0");
  if (divisor === 0n) return ANY_TEXT;
  if (divisor * BigInt(places + 1) > 2_000n) throw new DfaTooLarge();
  const modulus = Number(divisor);
  interface State {
    readonly remainder: number;
    /** Digits read behind the point; -1 before it. */
    readonly places: number;
    readonly started: boolean;
  }
  const scale = (remainder: number, by: number): number => (remainder * 10 ** by) % modulus;
  return explore(
    { remainder: 0, places: -1, started: false } as State,
    (state) => JSON.stringify(state),
    (state) => {
      const edges: { set: CharSet; to: State }[] = [];
      if (!state.started) edges.push({ set: charsOf("-"), to: { ...state, started: true } });
      if (state.places === -1) edges.push({ set: charsOf("."), to: { ...state, started: true, places: 0 } });
      for (let digit = 0; digit < 10; digit += 1) {
        const set = charsOf(String(digit));
        if (state.places < places) {
          const next = state.places === -1 ? -1 : state.places + 1;
          edges.push({
            set,
            to: { started: true, places: next, remainder: (state.remainder * 10 + digit) % modulus },
          });
        } else if (digit === 0) edges.push({ set, to: state });
      }
      const missing = places - Math.max(state.places, 0);
      return { edges, accepts: state.started && scale(state.remainder, missing) === 0 };
    },
  );
}
