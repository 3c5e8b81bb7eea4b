/**
 * Deterministic automata over code points: what a string, a key or a number may be. Products give "both of",
 * complements "none of". A grammar made of one has a single way to go on at every character. Written by hand: `refa`
 * makes no automaton of an expression with `^`, `$` or look-ahead, which most schemas' patterns have, and bounds states
 * but not work; what it would save is the subset construction.
 */
import {
  type CharRange,
  type CharSet,
  CODE_POINT_MAX,
  charSet,
  codeOf,
  complement as complementSet,
  EVERY,
  intersect,
} from "./CharSet.ts";
import { DfaTooLarge, spend } from "./Work.ts";

export interface DfaEdge {
  readonly set: CharSet;
  readonly to: number;
}

export interface DfaState {
  /** Disjoint sets; what is in none of them is refused. */
  readonly edges: readonly DfaEdge[];
  readonly accepts: boolean;
}

/** State 0 is the start. No state but the start is without a way to an accepting one. */
export interface Dfa {
  readonly states: readonly DfaState[];
}

/** Each state becomes a rule of the grammar. */
export const STATES_MAX = 3_000;

export const ANY_TEXT: Dfa = { states: [{ edges: [{ set: EVERY, to: 0 }], accepts: true }] };

/** Builds an automaton from a start and a step, states told apart by their key. */
export function explore<S>(
  start: S,
  key: (state: S) => string,
  step: (state: S) => {
    readonly edges: readonly { readonly set: CharSet; readonly to: S }[];
    readonly accepts: boolean;
  },
  statesMax = STATES_MAX,
): Dfa {
  const numbers = new Map([[key(start), 0]]);
  const queue = [start];
  const states: DfaState[] = [];
  for (let state = queue[states.length]; state !== undefined; state = queue[states.length]) {
    const { edges, accepts } = step(state);
    spend(1 + edges.length);
    const byTarget = new Map<number, CharSet[]>();
    for (const edge of edges) {
      const name = key(edge.to);
      let to = numbers.get(name);
      if (to === undefined) {
        to = queue.push(edge.to) - 1;
        if (to >= statesMax) throw new DfaTooLarge();
        numbers.set(name, to);
      }
      const sets = byTarget.get(to);
      if (sets === undefined) byTarget.set(to, [edge.set]);
      else sets.push(edge.set);
    }
    states.push({ accepts, edges: [...byTarget].map(([to, sets]) => ({ to, set: joined(sets) })) });
  }
  return trim({ states });
}

/** The same object where it is one: what it looks like is then written once. */
function joined(sets: readonly CharSet[]): CharSet {
  const [only = []] = sets;
  if (sets.length === 1) return only;
  spend(sets.reduce((sum, set) => sum + set.length, 0));
  return charSet(sets.flat());
}

/** Without states that lead nowhere: a grammar must not offer a way into them. */
function trim({ states }: Dfa): Dfa {
  const into = states.map((): number[] => []);
  for (const [from, state] of states.entries()) for (const { to } of state.edges) into[to]?.push(from);
  const live = states.map((state) => state.accepts);
  const found = [...live.keys()].filter((index) => live[index]);
  for (let index = found.pop(); index !== undefined; index = found.pop()) {
    for (const from of into[index] ?? []) {
      if (live[from]) continue;
      live[from] = true;
      found.push(from);
    }
  }
  const numbers: number[] = [];
  let count = 0;
  for (const index of states.keys()) numbers.push(index === 0 || live[index] ? count++ : -1);
  const kept = states.flatMap((state, index): DfaState[] => {
    if (numbers[index] === -1) return [];
    const edges = state.edges.flatMap(({ set, to }): DfaEdge[] =>
      live[to] ? [{ set, to: numbers[to] ?? 0 }] : [],
    );
    return [{ accepts: state.accepts, edges }];
  });
  return { states: kept };
}

export function isEmpty({ states }: Dfa): boolean {
  return !states.some((state) => state.accepts);
}

export function accepts({ states }: Dfa, text: string): boolean {
  let at = 0;
  for (const char of text) {
    const code = codeOf(char);
    const edge = states[at]?.edges.find(({ set }) => set.some(([low, high]) => low <= code && code <= high));
    if (edge === undefined) return false;
    at = edge.to;
  }
  return states[at]?.accepts ?? false;
}

/** What both accept. */
export function both(a: Dfa, b: Dfa): Dfa {
  if (a === ANY_TEXT) return b;
  if (b === ANY_TEXT) return a;
  return explore(
    [0, 0] as readonly [number, number],
    (pair) => pair.join(),
    ([i, j]) => {
      const one = a.states[i];
      const two = b.states[j];
      const edges = (one?.edges ?? []).flatMap((left) =>
        (two?.edges ?? []).flatMap((right) => {
          spend(left.set.length + right.set.length);
          const set = intersect(left.set, right.set);
          return set.length === 0 ? [] : [{ set, to: [left.to, right.to] as const }];
        }),
      );
      return { edges, accepts: (one?.accepts ?? false) && (two?.accepts ?? false) };
    },
  );
}

/** What it does not accept. */
export function noneOf({ states }: Dfa): Dfa {
  const sink = states.length;
  return explore<number>(0, String, (at) => {
    const state = states[at];
    const edges = [...(state?.edges ?? [])];
    const rest = complementSet(charSet(edges.flatMap(({ set }) => set)));
    if (rest.length > 0) edges.push({ set: rest, to: sink });
    return { edges, accepts: !(state?.accepts ?? false) };
  });
}

/** Exactly these texts. */
export function oneOf(texts: readonly string[]): Dfa {
  interface Node {
    readonly id: number;
    readonly next: Map<number, Node>;
    ends: boolean;
  }
  let count = 0;
  const node = (): Node => ({ id: count++, next: new Map(), ends: false });
  const root = node();
  for (const text of texts) {
    let at = root;
    spend(text.length);
    for (const char of text) {
      const code = codeOf(char);
      const next: Node = at.next.get(code) ?? node();
      at.next.set(code, next);
      at = next;
    }
    at.ends = true;
  }
  return explore(
    root,
    ({ id }) => String(id),
    (at) => ({
      accepts: at.ends,
      edges: [...at.next].map(([code, to]) => ({ set: [[code, code]] as const, to })),
    }),
  );
}

/** Any text, up to and with the first `end`. */
export function until(end: string): Dfa {
  const wanted = Array.from(end);
  /** Characters of `end` that are at hand when `next` comes after the first `seen` of them. */
  const step = (seen: number, next: string): number => {
    const text = [...wanted.slice(0, seen), next];
    for (let length = Math.min(text.length, wanted.length); length > 0; length -= 1) {
      if (text.slice(-length).join("") === wanted.slice(0, length).join("")) return length;
    }
    return 0;
  };
  const letters = [...new Set(wanted)];
  const others = complementSet(charSet(letters.map((char) => [codeOf(char), codeOf(char)] as const)));
  return explore<number>(0, String, (seen) => {
    if (seen === wanted.length) return { edges: [], accepts: true };
    const edges = letters.map((char) => ({
      set: [[codeOf(char), codeOf(char)]] as const,
      to: step(seen, char),
    }));
    return { edges: [...edges, { set: others, to: 0 }], accepts: false };
  });
}

/** Texts of `min` to `max` code points. */
export function lengthBetween(min: number, max: number): Dfa {
  if (min <= 0 && max === Number.POSITIVE_INFINITY) return ANY_TEXT;
  const last = max === Number.POSITIVE_INFINITY ? min : max;
  return explore<number>(0, String, (at) => ({
    accepts: at >= min,
    edges:
      at < last
        ? [{ set: EVERY, to: at + 1 }]
        : max === Number.POSITIVE_INFINITY
          ? [{ set: EVERY, to: at }]
          : [],
  }));
}

/** Splits the code points at every border of the given sets; each piece is in a set wholly or not at all. */
export function pieces(sets: readonly CharSet[], top = CODE_POINT_MAX): CharRange[] {
  const borders = new Set<number>([0, top + 1]);
  for (const set of sets) {
    for (const [low, high] of set) {
      borders.add(low);
      borders.add(high + 1);
    }
  }
  const sorted = [...borders].sort((a, b) => a - b);
  return sorted.slice(0, -1).map((low, index) => [low, (sorted[index + 1] ?? low + 1) - 1] as const);
}
