/**
 * The one eviction function: what a kept state is worth, for sequences and host memory alike. The least worth
 * goes first. Tokens saved per byte, less likely to return the longer ago it was used; what a conversation has
 * left behind goes before any conversation's newest, and what all conversations share goes last.
 */
export interface Kept {
  /** Tokens that would have to be prefilled again without it. */
  readonly tokens: number;
  /** Bytes it takes; 1 for a sequence, whose rows are allocated anyway. */
  readonly bytes: number;
  /** Tick of its last use. */
  readonly usedAt: number;
  /** End of system prompt and tools. */
  readonly shared: boolean;
  /** Of an earlier turn of its conversation, or kept for no named reason. */
  readonly superseded: boolean;
}

/** Classes are apart by more than tokens, bytes and ages can bridge. */
const CLASS_FACTOR = 1e24;

export function worthOf(kept: Kept, now: number): number {
  const worth = kept.tokens / Math.max(1, kept.bytes) / (1 + Math.max(0, now - kept.usedAt));
  if (kept.shared) return worth * CLASS_FACTOR;
  return kept.superseded ? worth / CLASS_FACTOR : worth;
}
