/** One turn of the person out of lines: a backslash at a line's end goes on in the next one. */

/** Gives a line without its break, null at the end. `first` says whether a turn begins. */
export type ReadLine = (first: boolean) => Promise<string | null>;

/** Null at the end, where nothing was begun. */
export async function readTurn(readLine: ReadLine): Promise<string | null> {
  const lines: string[] = [];
  for (;;) {
    const line = await readLine(lines.length === 0);
    if (line === null) return lines.length === 0 ? null : lines.join("\n");
    if (!line.endsWith("\\")) return [...lines, line].join("\n");
    lines.push(line.slice(0, -1));
  }
}
