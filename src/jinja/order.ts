/** `<` and its kin, and sorting. */
import { wrong } from "./errors.ts";
import { compareText } from "./text.ts";
import { doubleOf, equal, numberOf, plain, Tuple, typeName, type Value } from "./values.ts";

/** Below 0, 0 or above 0. Throws where Python would: values of different kinds have no order. */
export function compare(a: Value, b: Value, sign = "<"): number {
  const left = plain(a);
  const right = plain(b);
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  const m = numberOf(left);
  const n = numberOf(right);
  if (m !== undefined && n !== undefined) {
    const exact = typeof m === "bigint" || typeof n === "bigint";
    if (!exact) return doubleOf(m) - doubleOf(n);
    return m > n ? 1 : m < n ? -1 : doubleOf(m) - doubleOf(n);
  }
  if (Array.isArray(left) && Array.isArray(right) && left instanceof Tuple === right instanceof Tuple) {
    for (let i = 0; i < left.length && i < right.length; i++) {
      const [one = null, other = null] = [left[i], right[i]];
      // Python compares the first two that differ, so that equal ones need no order.
      if (!equal(one, other)) return compare(one, other, sign);
    }
    return left.length - right.length;
  }
  throw wrong(`'${sign}' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`);
}

export function sortedBy(items: readonly Value[], key: (item: Value) => Value, reverse: boolean): Value[] {
  const keyed = items.map((item) => ({ item, key: key(item) }));
  const sign = reverse ? -1 : 1;
  return keyed.sort((a, b) => sign * compare(a.key, b.key)).map(({ item }) => item);
}
