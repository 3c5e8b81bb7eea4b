/**
 * Indices of the `count` highest values, in order; of equals the lower index first, or the lower of `ids`. One pass
 * by index: what is below the lowest so far costs a comparison, and an iterator costs five times as much.
 */
export function highest(values: Float32Array, count: number, ids?: Int32Array): readonly number[] {
  const best: number[] = [];
  if (count <= 0) return best;
  const valueAt = (i: number): number => values[i] ?? Number.NEGATIVE_INFINITY;
  const idAt = (i: number): number => ids?.[i] ?? i;
  const comesFirst = (a: number, b: number): boolean =>
    valueAt(a) > valueAt(b) || (valueAt(a) === valueAt(b) && idAt(a) < idAt(b));
  let least = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? Number.NEGATIVE_INFINITY;
    if (best.length === count && (value < least || !comesFirst(i, best.at(-1) ?? 0))) continue;
    let at = best.length;
    while (at > 0 && comesFirst(i, best[at - 1] ?? 0)) at--;
    best.splice(at, 0, i);
    if (best.length > count) best.pop();
    least = valueAt(best.at(-1) ?? 0);
  }
  return best;
}
