/** Token lists, one behind the other. */
export function joined(parts: readonly Int32Array[]): Int32Array {
  const tokens = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    tokens.set(part, at);
    at += part.length;
  }
  return tokens;
}
