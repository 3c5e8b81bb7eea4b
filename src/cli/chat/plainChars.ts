/**
 * A model's text as it may go to a terminal: control characters would move the cursor, change the title or do worse,
 * so each is shown as the sign that stands for it. Line breaks and tabs stay.
 */
export function plainChars(text: string): string {
  return text.replace(CONTROLS, (char) => {
    const code = char.charCodeAt(0);
    // U+2400 and behind are pictures of the first 32; the others have one picture together.
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
  });
}

/** Category Cc without line breaks and tabs. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;
