/**
 * Rows behind a prompt's last chunk, which are evaluated with it and removed again. llama.cpp's flash attention on a
 * CPU works in tiles from 64 rows on and row by row below (`GGML_FA_TILE_Q` in ggml-cpu), so that 53 rows behind a long
 * prompt take twice the time of 64. Whether a chunk is padded decides bits, so it is a function of the plan and of the
 * model's shape: never of a clock, of what is kept, or of load. Only where rows can be taken back: dense memory.
 */

/** Rows from which on attention works in tiles. */
export const TILE_ROWS = 64;

/**
 * What a floating-point operation of attention costs beside one of the weights (Q4_0): in tiles, and row by row.
 * Measured on a model of 120 M parameters, 2 threads, chunks of 4 to 64 rows behind 0 to 8,192 tokens (AVX-512).
 */
const TILE_COST = 2.7;
const ROW_COST = 9.3;

export interface PadRule {
  /** Operations of one row in the weights. */
  readonly weights: number;
  /** Operations of one row in attention, for each token in front of it. */
  readonly attention: number;
}

/** Behind so many tokens a row of a tile costs twice what it costs at the start. */
export function taperTokensOf({ weights, attention }: PadRule): number {
  return Math.max(1, Math.round(weights / (TILE_COST * attention)));
}

/** What a padded chunk comes to: at least `count`, the chunk's own tokens. `from` tokens stand in front of it. */
export function paddedRows(rule: PadRule | null, from: number, count: number, ctxTokens: number): number {
  // The rows need room in the context, if only for a moment.
  if (rule === null || count >= TILE_ROWS || from + TILE_ROWS > ctxTokens) return count;
  const attention = rule.attention * from;
  const tiled = TILE_ROWS * (rule.weights + TILE_COST * attention);
  return tiled < count * (rule.weights + ROW_COST * attention) ? TILE_ROWS : count;
}
