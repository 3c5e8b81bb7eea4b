/** Text with fenced code in it, in the order it stands. A fence that is not closed yet reaches to the end. */

export interface TextPart {
  readonly code: boolean;
  readonly text: string;
}

export function textParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  for (const [index, piece] of text.split(/^```/m).entries()) {
    const code = index % 2 === 1;
    // Behind the opening fence stands the language, behind the closing one the line's end.
    const inside = code ? piece.replace(/^[^\n]*\n?/, "").replace(/\n$/, "") : piece;
    const shown = index === 0 || code ? inside : inside.replace(/^\n/, "");
    if (shown !== "") parts.push({ code, text: shown });
  }
  return parts;
}
