/**
 * Whether a grammar may be handed to llama.cpp. Its parser and matcher abort, run out of memory or never
 * return on some grammars that a client can write; each of those is refused here with a sentence:
 * rules that are not defined, rules that can come back to themselves before any character, rules that can
 * never match anything, and rules that open too many ways at once.
 */
import { GrammarSyntaxError, type ParsedGrammar, parseGrammar } from "./grammarParse.ts";

/** Ways that llama.cpp follows before it reads a character; each is a stack it holds. */
const WAYS_MAX = 100_000;
/** Rules that open one another before a character: llama.cpp recurses on the C stack. */
const DEPTH_MAX = 500;

/** A sentence saying what is wrong with `text`, or null when llama.cpp can take it. */
export function grammarProblem(text: string): string | null {
  try {
    const grammar = parseGrammar(text);
    return definitionProblem(grammar) ?? openingProblem(grammar);
  } catch (error) {
    if (error instanceof GrammarSyntaxError) return `The grammar does not parse: ${error.message}.`;
    throw error;
  }
}

function definitionProblem({ rules, names }: ParsedGrammar): string | null {
  if (rules.length === 0) return "The grammar is empty.";
  const missing = rules.find((rule) => rule.alternates === null);
  if (missing) return `The grammar uses the rule "${missing.name}" but does not define it.`;
  return names.has("root") ? null : 'The grammar has no rule "root".';
}

/** What a rule may start with: `to` opens before any character; `tail` when nothing follows it there. */
interface Opening {
  readonly to: number;
  readonly tail: boolean;
}

function openingProblem(grammar: ParsedGrammar): string | null {
  const { rules } = grammar;
  const nullable = nullableRules(grammar);
  const openings = rules.map((rule) => openingsOf(rule.alternates ?? [], nullable));
  const dead = deadRule(grammar, nullable);
  if (dead !== null) return `The grammar's rule "${rules[dead]?.name}" can never match anything.`;
  const groups = stronglyConnected(openings.map((list) => list.map((opening) => opening.to)));
  for (const [from, list] of openings.entries()) {
    if (list.some((opening) => !opening.tail && groups[from] === groups[opening.to])) {
      return `The grammar's rule "${rules[from]?.name}" is left-recursive: it can come back to itself before any character.`;
    }
  }
  return tooManyWays(openings, groups)
    ? "The grammar opens too many ways at once: simplify its alternatives."
    : null;
}

/** Rules that can match the empty text. Linear: each mention of a rule is counted off once. */
function nullableRules({ rules }: ParsedGrammar): boolean[] {
  const nullable = rules.map(() => false);
  const waiting = rules.map((): { rule: number; left: number }[] => []);
  const found: number[] = [];
  for (const [index, rule] of rules.entries()) {
    for (const sequence of rule.alternates ?? []) {
      if (sequence.includes("char")) continue;
      const entry = { rule: index, left: sequence.length };
      if (entry.left === 0) found.push(index);
      for (const symbol of sequence) waiting[symbol as number]?.push(entry);
    }
  }
  for (let index = found.pop(); index !== undefined; index = found.pop()) {
    if (nullable[index]) continue;
    nullable[index] = true;
    for (const entry of waiting[index] ?? []) if (--entry.left === 0) found.push(entry.rule);
  }
  return nullable;
}

function openingsOf(
  alternates: readonly (readonly ("char" | number)[])[],
  nullable: readonly boolean[],
): Opening[] {
  const out: Opening[] = [];
  for (const sequence of alternates) {
    for (const [place, symbol] of sequence.entries()) {
      if (symbol === "char") break;
      out.push({ to: symbol, tail: place === sequence.length - 1 });
      if (!nullable[symbol]) break;
    }
  }
  return out;
}

/**
 * A rule from which neither a character nor the empty text can be reached, or null. A sequence is as live as
 * its first symbol that is not nullable.
 */
function deadRule({ rules }: ParsedGrammar, nullable: readonly boolean[]): number | null {
  const live = rules.map(() => false);
  const waiting = rules.map((): number[] => []);
  const found: number[] = [];
  for (const [index, rule] of rules.entries()) {
    if (nullable[index]) found.push(index);
    for (const sequence of rule.alternates ?? []) {
      const first = sequence.find((symbol) => symbol === "char" || !nullable[symbol]);
      if (first === "char") found.push(index);
      else if (first !== undefined) waiting[first]?.push(index);
    }
  }
  for (let index = found.pop(); index !== undefined; index = found.pop()) {
    if (live[index]) continue;
    live[index] = true;
    found.push(...(waiting[index] ?? []));
  }
  const dead = live.indexOf(false);
  return dead < 0 ? null : dead;
}

/** Group of each node, groups numbered so that an edge never leads to a higher one (Tarjan, without recursion). */
function stronglyConnected(edges: readonly (readonly number[])[]): number[] {
  const order = edges.map(() => -1);
  const low = edges.map(() => 0);
  const group = edges.map(() => -1);
  const stack: number[] = [];
  let next = 0;
  let groups = 0;
  for (const root of edges.keys()) {
    if (order[root] !== -1) continue;
    const work: { node: number; edge: number }[] = [{ node: root, edge: 0 }];
    while (work.length > 0) {
      const top = work[work.length - 1] as { node: number; edge: number };
      const { node } = top;
      if (top.edge === 0) {
        order[node] = low[node] = next++;
        stack.push(node);
      }
      const to = edges[node]?.[top.edge++];
      if (to !== undefined) {
        if (order[to] === -1) work.push({ node: to, edge: 0 });
        else if (group[to] === -1) low[node] = Math.min(low[node] ?? 0, order[to] ?? 0);
        continue;
      }
      work.pop();
      const parent = work.at(-1)?.node;
      if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[node] ?? 0);
      if (low[node] !== order[node]) continue;
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        group[member] = groups;
        if (member === node) break;
      }
      groups++;
    }
  }
  return group;
}

/** Counts, group by group from the leaves, the ways that open and how deep; in a group each member has all. */
function tooManyWays(openings: readonly (readonly Opening[])[], groups: readonly number[]): boolean {
  const members: number[][] = [];
  for (const [rule, group] of groups.entries()) {
    members[group] ??= [];
    members[group].push(rule);
  }
  const ways: number[] = [];
  const depth: number[] = [];
  let all = 0;
  for (const [group, rules] of members.entries()) {
    let sum = 1;
    let deepest = 0;
    for (const rule of rules) {
      for (const { to } of openings[rule] ?? []) {
        const other = groups[to] ?? 0;
        if (other === group) continue;
        sum += ways[other] ?? 0;
        deepest = Math.max(deepest, depth[other] ?? 0);
      }
    }
    ways[group] = sum * rules.length;
    depth[group] = deepest + rules.length;
    all += (ways[group] ?? 0) * rules.length;
    if (all > WAYS_MAX || (depth[group] ?? 0) > DEPTH_MAX) return true;
  }
  return false;
}
