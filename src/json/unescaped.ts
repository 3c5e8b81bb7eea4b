/** Percent escapes of a URI's part, decoded; what is no escape stays as it was sent. Never throws. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
