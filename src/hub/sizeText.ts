/** Decimal, three digits: `2.50 GB`. */
export function sizeText(bytes: number): string {
  for (const [unit, name] of [
    [1e9, "GB"],
    [1e6, "MB"],
    [1e3, "kB"],
  ] as const) {
    // What would be rounded to 1000 belongs to the next unit.
    if (bytes >= unit * 0.9995) return `${threeDigits(bytes / unit)} ${name}`;
  }
  return `${bytes} B`;
}

function threeDigits(value: number): string {
  return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}
