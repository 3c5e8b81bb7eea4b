/**
 * The one eviction function: what a kept state is worth, for sequences and host memory alike. The least worth
 * goes first. Tokens saved per byte, less likely to return the longer ago it was used; what a conversation has
 * left behind goes before any conversation's newest, and what all conversations share goes last. Between those,
 * what is asked once and beside (a title, a finished subagent) goes before what is sure to come back.
 */
import type { Returns } from "./Turns.ts";

export interface Kept {
  /** Tokens that would have to be prefilled again without it. */
  readonly tokens: number;
  /** Bytes it takes; 1 for a sequence, whose rows are allocated anyway. */
  readonly bytes: number;
  /** Tick of its last use. */
  readonly usedAt: number;
  /** End of a system prompt and tools that several conversations begin with. */
  readonly shared: boolean;
  /** How sure its conversation's next turn is. */
  readonly returns: Returns;
  /** 0 for the likeliest of the next turns that were warmed, and for every other state. */
  readonly variant: number;
  /** Of an earlier turn of its conversation, or kept for no named reason. */
  readonly superseded: boolean;
}

/** Variants, returns and classes are apart by more than tokens, bytes and ages can bridge, in this order. */
const VARIANT_FACTOR = 1e24;
const RETURN_FACTOR = 1e60;
const CLASS_FACTOR = 1e140;

/**
 * Runs after which a conversation that has not come back is no surer to than any other: it may be dead, and would
 * hold its place against the living. A conversation should outlast its subagents' turns, of two or three runs each.
 */
export const SURE_TICKS = 128;

/** Runs in which a return becomes half as likely: until then it counts more what a return would save. */
const HALF_TICKS = 512;

export function worthOf(kept: Kept, now: number): number {
  const age = Math.max(0, now - kept.usedAt);
  const returns = age <= SURE_TICKS ? kept.returns : 0;
  const likely = RETURN_FACTOR ** returns / VARIANT_FACTOR ** Math.min(kept.variant, 2);
  const worth = (kept.tokens / Math.max(1, kept.bytes) / (1 + age / HALF_TICKS)) * likely;
  if (kept.shared) return worth * CLASS_FACTOR;
  return kept.superseded ? worth / CLASS_FACTOR : worth;
}
