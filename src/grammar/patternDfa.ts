/** From a `pattern` to the automaton of all texts in which it matches somewhere. */
import type { CharSet } from "./CharSet.ts";
import { contains } from "./CharSet.ts";
import { both, type Dfa, DfaTooLarge, explore, noneOf, pieces } from "./Dfa.ts";
import { type PatternNode, parsePattern } from "./parsePattern.ts";

/** The text stands between two marks, so that anchors are characters like others. */
const BEGIN = 0x110000;
const END = 0x110001;
const ANYTHING: CharSet = [[0, END]];
const NODES_MAX = 10_000;
/** Nodes looked at in all, about a tenth of a second: a pattern comes with a request. */
const WORK_MAX = 1_000_000;

interface NfaNode {
  /** Followed without a character. */
  readonly empty: number[];
  set: CharSet | null;
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
  nfa.edge(first, ANYTHING, first);
  const start = nfa.node();
  nfa.link(first, start);
  const last = nfa.build(root, start);
  nfa.edge(last, ANYTHING, last);
  return nfa.determinise(first, last);
}

class Nfa {
  readonly #nodes: NfaNode[] = [];
  #work = 0;

  node(): number {
    if (this.#nodes.length >= NODES_MAX) throw new DfaTooLarge();
    return this.#nodes.push({ empty: [], set: null, to: -1 }) - 1;
  }

  link(from: number, to: number): void {
    this.#nodes[from]?.empty.push(to);
  }

  edge(from: number, set: CharSet, to: number): void {
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
        return this.#step(from, [[BEGIN, BEGIN]]);
      case "end":
        return this.#step(from, [[END, END]]);
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

  #step(from: number, set: CharSet): number {
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
    const seen = new Set(nodes);
    const todo = [...seen];
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      this.#work += 1;
      for (const to of this.#nodes[at]?.empty ?? []) {
        if (seen.has(to)) continue;
        seen.add(to);
        todo.push(to);
      }
    }
    // Nodes without an edge say nothing but where the whole ends; they are kept for that alone.
    return [...seen].sort((a, b) => a - b);
  }

  #over(nodes: readonly number[], code: number): number[] {
    this.#work += nodes.length;
    if (this.#work > WORK_MAX) throw new DfaTooLarge();
    const to: number[] = [];
    for (const at of nodes) {
      const node = this.#nodes[at];
      if (node?.set != null && contains(node.set, code)) to.push(node.to);
    }
    return this.#closure(to);
  }

  determinise(first: number, last: number): Dfa {
    const start = this.#over(this.#closure([first]), BEGIN);
    return explore(
      start,
      (nodes) => nodes.filter((at) => this.#nodes[at]?.set != null || at === last).join(),
      (nodes) => {
        const sets = nodes.flatMap((at) => this.#nodes[at]?.set ?? []).map((range): CharSet => [range]);
        const edges = pieces(
          sets.map((set) =>
            set
              .filter(([low]) => low <= 0x10ffff)
              .map(([low, high]) => [low, Math.min(high, 0x10ffff)] as const),
          ),
        )
          .map((range) => ({ set: [range] as CharSet, to: this.#over(nodes, range[0]) }))
          .filter(({ to }) => to.length > 0);
        return { edges, accepts: this.#over(nodes, END).includes(last) };
      },
    );
  }
}
