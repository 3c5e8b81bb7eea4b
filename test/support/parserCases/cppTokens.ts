/** The words of a C++ source file, as far as tables of test cases need them: strings come out as what they mean. */
export interface CppToken {
  readonly kind: "string" | "word" | "mark";
  readonly text: string;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", b: "\b", f: "\f" };

export function cppTokens(source: string): CppToken[] {
  const out: CppToken[] = [];
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at, at + 200);
    const skipped = /^(?:\s+|\/\/[^\n]*|\/\*)/.exec(rest)?.[0];
    if (skipped === "/*") at = source.indexOf("*/", at) + 2;
    else if (skipped?.startsWith("//") === true) at = source.indexOf("\n", at);
    else if (skipped !== undefined) at += skipped.length;
    else {
      const raw = /^(?:u8)?R"([^(\s]*)\(/.exec(rest);
      const word = /^[A-Za-z_0-9](?:\w|::)*/.exec(rest)?.[0];
      if (raw !== null) {
        const end = source.indexOf(`)${raw[1]}"`, at);
        out.push({ kind: "string", text: source.slice(at + raw[0].length, end) });
        at = end + 2 + (raw[1] ?? "").length;
      } else if (rest.startsWith('"') || rest.startsWith('u8"')) {
        const [text, next] = quoted(source, source.indexOf('"', at) + 1);
        out.push({ kind: "string", text });
        at = next;
      } else if (word !== undefined) {
        out.push({ kind: "word", text: word });
        at += word.length;
      } else {
        out.push({ kind: "mark", text: rest.charAt(0) });
        at += 1;
      }
    }
    if (at <= 0) break;
  }
  return out;
}

function quoted(source: string, from: number): [text: string, next: number] {
  let text = "";
  let at = from;
  while (at < source.length && source[at] !== '"') {
    if (source[at] !== "\\") {
      text += source[at];
      at += 1;
      continue;
    }
    const hex = /^\\(?:x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(source.slice(at, at + 12));
    if (hex !== null) {
      text += String.fromCodePoint(Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? "0", 16));
      at += hex[0].length;
      continue;
    }
    const char = source[at + 1] ?? "";
    text += ESCAPES[char] ?? char;
    at += 2;
  }
  return [bytesRead(text), at + 1];
}

/** `\xe2\x80\x99` spells the bytes of a character. */
function bytesRead(text: string): string {
  const isBytes = /[\x80-\xff]/.test(text) && /^[\0-\xff]*$/.test(text);
  if (!isBytes) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      Uint8Array.from(text, (char) => char.charCodeAt(0)),
    );
  } catch {
    return text;
  }
}
