/**
 * Walks a grammar character by character. Written by hand: llama.cpp's own walker may never return or end the process
 * on a client's grammar (ARCHITECTURE.md, "Grammars"), and parsers on npm take whole texts. Earley's algorithm, whose work stays polynomial on grammars where
 * a set of parse stacks grows without bound. A place is what may follow; places of equal content are one
 * object, and steps are remembered on them, so that a walk becomes a table look-up where it repeats itself.
 */
import { AnyOrders } from "./AnyOrders.ts";
import { ClassSet, NO_GROUP } from "./ClassSet.ts";
import { type CharacterClass, type Grammar, holdingRules, meetsClass } from "./Grammar.ts";

/** Sets kept to be found again: a grammar that mixes its classes in ever new ways begins anew. */
const SETS_MAX = 2_000;
/** Work that one walk may take, in items looked at between two calls of `rest`: about a second. */
const WORK_MAX = 4_000_000;
/** Items of one place. */
const ITEMS_MAX = 50_000;
/** Places kept to be found again. */
const PLACES_MAX = 5_000;
/** More than any walk has, so that a slot and a place make one number. */
const SLOTS_MAX = 2 ** 22;

/** The grammar is so ambiguous that walking it takes too long. */
export class TooAmbiguous extends Error {}

/** What may follow the characters read so far. Immutable but for what it remembers. */
export interface Place {
  readonly id: number;
  /** Whether the text may end here. */
  readonly ends: boolean;
  /** Items that wait for a rule, by rule; pairs of slot and origin. */
  readonly waiting: ReadonlyMap<number, readonly Item[]>;
  /** Items that wait for a character of a class, by class. */
  readonly classes: readonly (readonly [index: number, one: CharacterClass, items: readonly Item[]])[];
  /** The same classes, as groups of characters. */
  readonly set: ClassSet;
  /** Steps taken from here, by group. */
  readonly steps: (Place | undefined)[];
}

/** A production read up to `slot`, begun at `origin`; null is the place that the item lies in. */
interface Item {
  readonly slot: number;
  readonly origin: Place | null;
}

const NOBODY: ReadonlyMap<number, readonly Item[]> = new Map();

/** A grammar's productions laid out in slots: a slot is a production with a dot in it. */
interface Slots {
  readonly nullable: readonly boolean[];
  /** First slots of each rule's productions. */
  readonly starts: readonly (readonly number[] | undefined)[];
  /** Symbol behind the dot, or NaN at the end. */
  readonly next: readonly number[];
  /** Rule that is whole at this slot, or -1. */
  readonly whole: readonly number[];
}

/** Laid out once: with many tools a grammar has a hundred thousand slots, and each turn walks it anew. */
const slots = new WeakMap<Grammar, Slots>();

function slotsOf(grammar: Grammar): Slots {
  const known = slots.get(grammar);
  if (known !== undefined) return known;
  const starts = grammar.names.map((): number[] | undefined => []);
  for (const { rule } of grammar.anyOrders) starts[rule] = undefined;
  const next: number[] = [];
  const whole: number[] = [];
  for (const { rule, symbols, endsFrom } of grammar.productions) {
    starts[rule]?.push(next.length);
    for (let dot = 0; dot <= symbols.length; dot++) {
      next.push(symbols[dot] ?? Number.NaN);
      whole.push(dot >= endsFrom ? rule : -1);
    }
  }
  const made = { nullable: holdingRules(grammar, false), starts, next, whole };
  slots.set(grammar, made);
  return made;
}

export class GrammarWalk {
  readonly grammar: Grammar;
  readonly #nullable: Slots["nullable"];
  /** A walk's own copies where it adds to them: undefined is a rule that it has not come to. */
  readonly #starts: (readonly number[] | undefined)[];
  readonly #next: number[];
  readonly #whole: number[];
  readonly #orders: AnyOrders | null;
  #known = new Map<string, Place>();
  readonly #sets = new Map<string, ClassSet>();
  #ids = 0;
  #work = 0;
  readonly start: Place;

  constructor(grammar: Grammar) {
    this.grammar = grammar;
    const { nullable, starts, next, whole } = slotsOf(grammar);
    const makes = grammar.anyOrders.length > 0;
    this.#nullable = nullable;
    this.#starts = makes ? [...starts] : (starts as (readonly number[])[]);
    this.#next = makes ? [...next] : (next as number[]);
    this.#whole = makes ? [...whole] : (whole as number[]);
    this.#orders = makes ? new AnyOrders(grammar) : null;
    const root = this.#startsOf(grammar.root).map((slot): Item => ({ slot, origin: null }));
    this.start = this.#place(root, true);
  }

  /** Places come to so far, each kept as long as a way leads to it. */
  get size(): number {
    return this.#ids;
  }

  /** Called before each walk: its work is counted from here. */
  rest(): void {
    this.#work = 0;
  }

  /** The place behind one more character, or null where it does not fit. @throws TooAmbiguous */
  step(from: Place, codePoint: number): Place | null {
    const group = from.set.groupOf(codePoint);
    if (group === NO_GROUP) return null;
    const known = from.steps[group];
    if (known !== undefined) return known;
    const to = this.#place(this.#scan(from, from.set.members(group)), false);
    from.steps[group] = to;
    return to;
  }

  /** Whether some character of `low` to `high` fits here. */
  meets(at: Place, low: number, high: number): boolean {
    return at.classes.some(([, one]) => meetsClass(one, low, high));
  }

  #scan(from: Place, matching: readonly number[]): Item[] {
    return matching.flatMap((at) =>
      (from.classes[at]?.[2] ?? []).map(
        (item): Item => ({ slot: item.slot + 1, origin: item.origin ?? from }),
      ),
    );
  }

  /** Everything that follows from `kernel`: rules that may begin here, and rules that are whole here. */
  #place(kernel: readonly Item[], isStart: boolean): Place {
    const [only] = kernel;
    // Within a literal nothing else follows from where it stands.
    if (only !== undefined && kernel.length === 1 && this.#isWithin(only.slot)) {
      return this.#intern(kernel, NOBODY, false);
    }
    const items: Item[] = [];
    const seen = new Set<number>();
    const waiting = new Map<number, Item[]>();
    let ends = false;
    const add = (slot: number, origin: Place | null) => {
      // One number for the pair: places stay far below 2^30.
      const key = origin === null ? slot : (origin.id + 1) * SLOTS_MAX + slot;
      if (++this.#work > WORK_MAX || items.length > ITEMS_MAX) throw new TooAmbiguous();
      if (seen.has(key)) return;
      seen.add(key);
      items.push({ slot, origin });
    };
    for (const { slot, origin } of kernel) add(slot, origin);
    for (let index = 0; index < items.length; index++) {
      const item = items[index] as Item;
      const { slot, origin } = item;
      const rule = this.#whole[slot] ?? -1;
      if (rule >= 0) {
        const parent = origin === null ? waiting : origin.waiting;
        for (const waiter of parent.get(rule) ?? []) add(waiter.slot + 1, waiter.origin ?? origin);
        if (rule === this.grammar.root && (origin === null ? isStart : origin === this.start)) ends = true;
      }
      const next = this.#next[slot] ?? Number.NaN;
      if (!(next >= 0)) continue;
      const waiters = waiting.get(next);
      if (waiters) waiters.push(item);
      else {
        waiting.set(next, [item]);
        for (const first of this.#startsOf(next)) add(first, null);
      }
      if (this.#nullable[next] ?? this.#orders?.nullable(next)) add(slot + 1, origin);
    }
    return this.#intern(items, waiting, ends);
  }

  #startsOf(rule: number): readonly number[] {
    const known = this.#starts[rule];
    if (known !== undefined) return known;
    if (this.#orders === null || this.#orders.isFull() || this.#next.length > SLOTS_MAX / 2) {
      throw new TooAmbiguous();
    }
    const starts: number[] = [];
    for (const symbols of this.#orders.productions(rule)) {
      starts.push(this.#next.length);
      for (let dot = 0; dot <= symbols.length; dot++) {
        this.#next.push(symbols[dot] ?? Number.NaN);
        this.#whole.push(dot === symbols.length ? rule : -1);
      }
    }
    this.#starts[rule] = starts;
    return starts;
  }

  /** Whether a character has to come, and no rule may be whole. */
  #isWithin(slot: number): boolean {
    return (this.#whole[slot] ?? -1) < 0 && (this.#next[slot] ?? Number.NaN) < 0;
  }

  /** Items that are whole have done their part; what is left is the place, the same object for the same content. */
  #intern(items: readonly Item[], waiting: ReadonlyMap<number, readonly Item[]>, ends: boolean): Place {
    const byClass = new Map<number, Item[]>();
    let key = ends ? "end" : "";
    for (const item of items) {
      const next = this.#next[item.slot] ?? Number.NaN;
      if (Number.isNaN(next)) continue;
      // In the order in which they were found, which is the same for the same text behind the same place.
      key += `${item.slot},${item.origin === null ? "" : item.origin.id};`;
      if (next >= 0) continue;
      const same = byClass.get(-next - 1);
      if (same) same.push(item);
      else byClass.set(-next - 1, [item]);
    }
    const known = this.#known.get(key);
    if (known) return known;
    const classes = [...byClass].map(
      ([index, list]) => [index, this.grammar.classes[index] as CharacterClass, list] as const,
    );
    const id = this.#ids++;
    const place: Place = { id, ends, waiting, classes, set: this.#setOf(classes), steps: [] };
    if (this.#known.size >= PLACES_MAX) this.#known = new Map();
    this.#known.set(key, place);
    return place;
  }

  #setOf(classes: Place["classes"]): ClassSet {
    const key = classes.map(([index]) => index).join();
    const set = this.#sets.get(key) ?? new ClassSet(classes.map(([, one]) => one));
    if (this.#sets.size >= SETS_MAX) this.#sets.clear();
    this.#sets.set(key, set);
    return set;
  }
}
