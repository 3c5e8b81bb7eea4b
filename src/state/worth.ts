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

/**
 * Every step of class, return and variant is more than tokens, bytes and ages can bridge: up to some 1e20, of
 * 1e6 tokens, 1e10 bytes and 1e6 runs. Thirteen steps up or down fit a double, times the bytes of a loss too.
 */
const STEP = 1e21;
const MIDDLE = 13;

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
  const rank = kept.shared ? 2 : kept.superseded ? 0 : 1;
  const steps = 9 * rank + 3 * returns + (2 - Math.min(kept.variant, 2)) - MIDDLE;
  return (kept.tokens / Math.max(1, kept.bytes) / (1 + age / HALF_TICKS)) * STEP ** steps;
}
