/** Literals compared by whole tags and single characters, so that none is cut inside a tag. */
const ATOM = /<[^<>\s]+>|\[\/?[A-Z_]+\]|[\s\S]/gu;

export function atomsOf(text: string): string[] {
  return text.match(ATOM) ?? [];
}

export function commonStart(a: string, b: string): string {
  const left = atomsOf(a);
  const right = atomsOf(b);
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  return left.slice(0, same).join("");
}

export function commonEnd(a: string, b: string): string {
  const left = atomsOf(a);
  const right = atomsOf(b);
  let same = 0;
  while (same < left.length && same < right.length && left.at(-1 - same) === right.at(-1 - same)) same += 1;
  return left.slice(left.length - same).join("");
}
