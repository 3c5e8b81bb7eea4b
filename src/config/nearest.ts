/** The one of `names` that `name` is a misspelling of. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  return names
    .map((known) => ({ known, steps: editDistance(name, known) }))
    .filter(({ known, steps }) => steps <= Math.max(known.length > 4 ? 2 : 1, Math.floor(known.length / 4)))
    .sort((a, b) => a.steps - b.steps)[0]?.known;
}

/** Letters that were left out, put in, changed, or changed places with their neighbour; names are short. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const turned = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : swap;
      next.push(Math.min(swap, turned, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
