/** Numbers as people read them. */

/** `4.7 GiB`, `512 MiB`, `12 KiB`. */
export function bytesText(bytes: number): string {
  for (const [unit, size] of [
    ["GiB", 2 ** 30],
    ["MiB", 2 ** 20],
  ] as const) {
    if (bytes >= size) return `${digits(bytes / size)} ${unit}`;
  }
  return `${Math.ceil(bytes / 2 ** 10)} KiB`;
}

/** `8.2 billion`, `270 million`. */
export function countText(count: number): string {
  if (count >= 1e9) return `${digits(count / 1e9)} billion`;
  if (count >= 1e6) return `${digits(count / 1e6)} million`;
  return plainNumber(count);
}

/** `40,960`. */
export function plainNumber(count: number): string {
  return count.toLocaleString("en-US");
}

/** `850 ms`, `1.2 s`, `42 s`. */
export function timeText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${digits(ms / 1000)} s`;
}

/** One place behind the point below ten. */
function digits(value: number): string {
  return value < 9.95 ? value.toFixed(1) : value.toFixed(0);
}
