/** Sets of code points as sorted, disjoint ranges that do not touch. */
export type CharRange = readonly [low: number, high: number];
export type CharSet = readonly CharRange[];

export const CODE_POINT_MAX = 0x10ffff;
export const EVERY: CharSet = [[0, CODE_POINT_MAX]];

export function charSet(ranges: readonly CharRange[]): CharSet {
  const out: [number, number][] = [];
  for (const [low, high] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else out.push([low, high]);
  }
  return out;
}

export function charsOf(text: string): CharSet {
  return charSet(Array.from(text, (char): CharRange => [codeOf(char), codeOf(char)]));
}

export function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

export function complement(set: CharSet): CharSet {
  const out: CharRange[] = [];
  let next = 0;
  for (const [low, high] of set) {
    if (low > next) out.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= CODE_POINT_MAX) out.push([next, CODE_POINT_MAX]);
  return out;
}

export function intersect(a: CharSet, b: CharSet): CharSet {
  const out: CharRange[] = [];
  let i = 0;
  let j = 0;
  for (let one = a[i], two = b[j]; one !== undefined && two !== undefined; one = a[i], two = b[j]) {
    const low = Math.max(one[0], two[0]);
    const high = Math.min(one[1], two[1]);
    if (low <= high) out.push([low, high]);
    if (one[1] < two[1]) i += 1;
    else j += 1;
  }
  return out;
}

const known = new Map<string, CharSet>();

/** What a one-character ECMAScript expression such as `\p{L}` matches; found by asking it, once. */
export function charsMatching(expression: string): CharSet | null {
  const found = known.get(expression);
  if (found !== undefined) return found;
  let test: RegExp;
  try {
    test = new RegExp(`^${expression}$`, "u");
  } catch {
    return null;
  }
  const ranges: [number, number][] = [];
  for (let code = 0; code <= CODE_POINT_MAX; code += 1) {
    if (!test.test(String.fromCodePoint(code))) continue;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  if (known.size < 64) known.set(expression, ranges);
  return ranges;
}
