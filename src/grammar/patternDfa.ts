/** From a `pattern` to the automaton of all texts in which it matches somewhere. */
import { Alphabet } from "./Alphabet.ts";
import type { CharSet } from "./CharSet.ts";
import { both, type Dfa, explore, noneOf } from "./Dfa.ts";
import { type PatternNode, parsePattern } from "./parsePattern.ts";
import { DfaTooLarge, spend } from "./Work.ts";

/** The text stands between two marks, so that anchors are letters like others. */
type Letters = CharSet | "begin" | "end" | "anything";
const BEGIN = -1;
const END = -2;
const NODES_MAX = 10_000;

interface NfaNode {
  /** Followed without a character. */
  readonly empty: number[];
  set: Letters | null;
  to: number;
}

/** Throws PatternError or DfaTooLarge. */
export function patternDfa(pattern: string): Dfa {
  const { root, aheads } = parsePattern(pattern);
  let dfa = matching(root);
  for (const { of, wanted } of aheads) {
    const ahead = matching(of);
    dfa = both(dfa, wanted ? ahead : noneOf(ahead));
  }
  return dfa;
}

function matching(root: PatternNode): Dfa {
  const nfa = new Nfa();
  const first = nfa.node();
  nfa.edge(first, "anything", first);
  const start = nfa.node();
  nfa.link(first, start);
  const last = nfa.build(root, start);
  nfa.edge(last, "anything", last);
  return nfa.determinise(first, last);
}

class Nfa {
  readonly #nodes: NfaNode[] = [];
  /** The pass of `#closure` that saw each node last: a set of its own for each of a million passes costs half of all. */
  #seen = new Uint32Array(0);
  #pass = 0;

  node(): number {
    if (this.#nodes.length >= NODES_MAX) throw new DfaTooLarge();
    return this.#nodes.push({ empty: [], set: null, to: -1 }) - 1;
  }

  link(from: number, to: number): void {
    this.#nodes[from]?.empty.push(to);
  }

  edge(from: number, set: Letters, to: number): void {
    const node = this.#nodes[from];
    if (node === undefined) return;
    node.set = set;
    node.to = to;
  }

  /** Adds what `of` matches behind `from`; gives the node behind it, which has no edges yet. */
  build(of: PatternNode, from: number): number {
    switch (of.kind) {
      case "chars":
        return this.#step(from, of.set);
      case "start":
        return this.#step(from, "begin");
      case "end":
        return this.#step(from, "end");
      case "all":
        return of.of.reduce((at, part) => this.build(part, at), from);
      case "any": {
        const out = this.node();
        for (const part of of.of) {
          const start = this.node();
          this.link(from, start);
          this.link(this.build(part, start), out);
        }
        return out;
      }
      case "repeat":
        return this.#repeat(of.of, of.min, of.max, from);
    }
  }

  #step(from: number, set: Letters): number {
    const start = this.node();
    const out = this.node();
    this.link(from, start);
    this.edge(start, set, out);
    return out;
  }

  #repeat(of: PatternNode, min: number, max: number, from: number): number {
    let at = from;
    for (let i = 0; i < min; i += 1) at = this.build(of, at);
    const out = this.node();
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.node();
      this.link(at, loop);
      this.link(loop, out);
      this.link(this.build(of, loop), loop);
      return out;
    }
    for (let i = min; i < max; i += 1) {
      this.link(at, out);
      at = this.build(of, at);
    }
    this.link(at, out);
    return out;
  }

  #closure(nodes: Iterable<number>): number[] {
    if (this.#seen.length < this.#nodes.length) this.#seen = new Uint32Array(this.#nodes.length);
    const seen = this.#seen;
    this.#pass += 1;
    const pass = this.#pass;
    const todo: number[] = [];
    const visit = (at: number): void => {
      if (seen[at] === pass) return;
      seen[at] = pass;
      todo.push(at);
    };
    const found: number[] = [];
    for (const at of nodes) visit(at);
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      spend(1);
      const node = this.#nodes[at];
      if (node === undefined) continue;
      for (const to of node.empty) visit(to);
      // Nodes without an edge say nothing but where the whole ends; they are kept for that alone.
      if (node.set !== null || node.empty.length === 0) found.push(at);
    }
    return found.sort((a, b) => a - b);
  }

  /** Nodes that each letter leads to; those of the marks are `BEGIN` and `END`. */
  #onward(nodes: readonly number[], alphabet: Alphabet): Map<number, number[]> {
    const out = new Map<number, number[]>();
    const add = (letter: number, to: number) => {
      const list = out.get(letter);
      if (list === undefined) out.set(letter, [to]);
      else list.push(to);
    };
    spend(4 * nodes.length);
    for (const at of nodes) {
      const { set = null, to = -1 } = this.#nodes[at] ?? {};
      if (set === null) continue;
      if (set === "begin" || set === "anything") add(BEGIN, to);
      if (set === "end" || set === "anything") add(END, to);
      if (set === "begin" || set === "end") continue;
      if (set === "anything") for (let one = 0; one < alphabet.size; one += 1) add(one, to);
      else for (const one of alphabet.classesOf(set)) add(one, to);
      spend(set === "anything" ? alphabet.size : alphabet.classesOf(set).length);
    }
    return out;
  }

  determinise(first: number, last: number): Dfa {
    const sets = this.#nodes.map(({ set }) => set).filter((set) => set !== null && typeof set !== "string");
    const alphabet = new Alphabet([...new Set(sets)]);
    const begun = this.#onward(this.#closure([first]), alphabet).get(BEGIN) ?? [];
    return explore(
      this.#closure(begun),
      (nodes) => nodes.filter((at) => this.#nodes[at]?.set != null || at === last).join(),
      (nodes) => {
        const onward = this.#onward(nodes, alphabet);
        const ends = this.#closure(onward.get(END) ?? []).includes(last);
        // Letters that lead to the same nodes are followed once.
        const targets = new Map<string, { readonly set: CharSet; readonly to: number[] }[]>();
        for (const [letter, to] of onward) {
          if (letter < 0) continue;
          const key = to.join();
          const same = targets.get(key);
          const edge = { set: alphabet.setOf(letter), to: same?.[0]?.to ?? this.#closure(to) };
          if (same === undefined) targets.set(key, [edge]);
          else same.push(edge);
        }
        return { edges: [...targets.values()].flat(), accepts: ends };
      },
    );
  }
}
