/**
 * A template's source as tokens, in the form that the library's parser takes. The library's own lexer is not used:
 * it applies white space control by regular expressions over the source, so that `{%+`, CRLF and a `%}` inside a
 * string go wrong, and it lacks `{% raw %}` and Python's escapes and numbers.
 */
import { readNumber, readString } from "./literals.ts";

type TokenType =
  | "Text"
  | "Comment"
  | "OpenStatement"
  | "CloseStatement"
  | "OpenExpression"
  | "CloseExpression"
  | "Identifier"
  | "NumericLiteral"
  | "StringLiteral"
  | "UnaryOperator"
  | (typeof SYMBOLS)[keyof typeof SYMBOLS];

export interface Token {
  readonly type: TokenType;
  readonly value: string;
}

/** Longer symbols first, where one begins another. */
const SYMBOLS = {
  "**": "ExponentiationBinaryOperator",
  "//": "MultiplicativeBinaryOperator",
  "<=": "ComparisonBinaryOperator",
  ">=": "ComparisonBinaryOperator",
  "==": "ComparisonBinaryOperator",
  "!=": "ComparisonBinaryOperator",
  "<": "ComparisonBinaryOperator",
  ">": "ComparisonBinaryOperator",
  "(": "OpenParen",
  ")": "CloseParen",
  "{": "OpenCurlyBracket",
  "}": "CloseCurlyBracket",
  "[": "OpenSquareBracket",
  "]": "CloseSquareBracket",
  ",": "Comma",
  ".": "Dot",
  ":": "Colon",
  "|": "Pipe",
  "+": "AdditiveBinaryOperator",
  "-": "AdditiveBinaryOperator",
  "~": "ConcatBinaryOperator",
  "*": "MultiplicativeBinaryOperator",
  "/": "MultiplicativeBinaryOperator",
  "%": "MultiplicativeBinaryOperator",
  "=": "Equals",
} as const satisfies Readonly<Record<string, string>>;

const SYMBOL = new RegExp(
  Object.keys(SYMBOLS)
    .map((symbol) => symbol.replace(/[^<>=!,:%/~-]/g, "\\$&"))
    .join("|"),
  "y",
);
/** Behind these a sign is an operator between two values; behind anything else it belongs to the value that follows. */
const VALUE_ENDS: ReadonlySet<TokenType> = new Set<TokenType>([
  "Identifier",
  "NumericLiteral",
  "StringLiteral",
  "CloseParen",
  "CloseSquareBracket",
  "CloseCurlyBracket",
]);
const RAW_START = /{%[-+]?\s*raw\s*(-?)%}/y;
const RAW_END = /{%([-+]?)\s*endraw\s*([-+]?)%}/g;
const TAG_START = /{([%{#])([-+]?)/g;
const TAG_END = /([-+]?)%}|(-?)}}/y;

/** Throws SyntaxError. White space control is as `transformers` sets Jinja up: `trim_blocks` and `lstrip_blocks`. */
export function readTokens(source: string): readonly Token[] {
  return new Lexer(source).tokens();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  /** The text at `#at` begins a line. */
  #atLineStart = true;

  constructor(source: string) {
    // As Jinja does: one newline at the end is dropped.
    this.#source = source.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  }

  tokens(): readonly Token[] {
    while (this.#at < this.#source.length) this.#textAndTag();
    return this.#tokens;
  }

  #push(type: TokenType, value: string): void {
    this.#tokens.push({ type, value });
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source);
  }

  /** The text up to the next tag, and that tag. */
  #textAndTag(): void {
    const tag = this.#match(TAG_START);
    const text = this.#source.slice(this.#at, tag?.index);
    const [opening = "", kind = "", sign = ""] = tag ?? [];
    this.#text(tag === null ? text : this.#stripped(text, sign, kind));
    this.#at += text.length;
    if (tag === null) return;
    if (kind === "#") this.#comment(opening.length);
    else if (kind === "{" || !this.#raw()) this.#tag(kind, opening.length);
  }

  #text(text: string): void {
    if (text !== "") this.#push("Text", text);
  }

  /** `{%-` takes the white space in front of it; a statement or comment alone on its line takes its indent, `{%+` none. */
  #stripped(text: string, sign: string, kind: string): string {
    if (sign === "-") return text.trimEnd();
    if (sign === "+" || kind === "{") return text;
    const lineStart = text.lastIndexOf("\n") + 1;
    const isIndent = (lineStart > 0 || this.#atLineStart) && text.slice(lineStart).trim() === "";
    return isIndent ? text.slice(0, lineStart) : text;
  }

  /** Goes behind a tag's end: `-%}` takes all white space behind it, a statement or comment one newline, `+%}` none. */
  #close(length: number, sign: string, isExpression: boolean): void {
    this.#at += length;
    if (sign === "-") this.#skipSpace();
    else if (sign !== "+" && !isExpression && this.#source[this.#at] === "\n") this.#at += 1;
    this.#atLineStart = this.#source[this.#at - 1] === "\n";
  }

  #skipSpace(): void {
    this.#at += this.#match(/\s*/y)?.[0].length ?? 0;
  }

  #comment(opening: number): void {
    const end = this.#source.indexOf("#}", this.#at + opening);
    if (end < 0) throw new SyntaxError("A comment has no end");
    const comment = this.#source.slice(this.#at + opening, end);
    const sign = /[-+]$/.exec(comment)?.[0] ?? "";
    this.#push("Comment", comment.slice(0, comment.length - sign.length));
    this.#at = end;
    this.#close(2, sign, false);
  }

  /** Text up to `{% endraw %}`; false where no raw block begins here. */
  #raw(): boolean {
    const start = this.#match(RAW_START);
    if (start === null) return false;
    this.#at += start[0].length;
    if (start[1] === "-") this.#skipSpace();
    const end = this.#match(RAW_END);
    if (end === null) throw new SyntaxError("A raw block has no end");
    this.#atLineStart = this.#source[this.#at - 1] === "\n";
    const [whole, before = "", after = ""] = end;
    this.#text(this.#stripped(this.#source.slice(this.#at, end.index), before, "%"));
    this.#at = end.index;
    this.#close(whole.length, after, false);
    return true;
  }

  /** A statement or an expression, up to its end. */
  #tag(kind: string, opening: number): void {
    this.#push(kind === "%" ? "OpenStatement" : "OpenExpression", `{${kind}`);
    this.#at += opening;
    // Inside an object `}}` ends no expression.
    let depth = 0;
    for (;;) {
      this.#skipSpace();
      const end = this.#match(TAG_END);
      if (end !== null && !(end[0] === "}}" && depth > 0)) {
        const isExpression = end[0].endsWith("}}");
        this.#push(isExpression ? "CloseExpression" : "CloseStatement", end[0].slice(-2));
        this.#close(end[0].length, end[1] ?? end[2] ?? "", isExpression);
        return;
      }
      const type = this.#inside();
      if (type === "OpenCurlyBracket") depth += 1;
      else if (type === "CloseCurlyBracket") depth -= 1;
    }
  }

  /** One token inside a tag. */
  #inside(): TokenType {
    const last = this.#tokens.at(-1)?.type;
    const char = this.#source[this.#at];
    if (char === undefined) throw new SyntaxError("A tag has no end");
    if ((char === "-" || char === "+") && last !== undefined && !VALUE_ENDS.has(last)) {
      const { value, end } = readNumber(this.#source, this.#at + 1, false);
      return this.#take(value === "" ? "UnaryOperator" : "NumericLiteral", char + value, end);
    }
    const symbol = this.#match(SYMBOL)?.[0] ?? "";
    if (isSymbol(symbol)) return this.#take(SYMBOLS[symbol], symbol, this.#at + symbol.length);
    if (char === "'" || char === '"') {
      const { value, end } = readString(this.#source, this.#at);
      return this.#take("StringLiteral", value, end);
    }
    const number = readNumber(this.#source, this.#at, last === "Dot");
    if (number.value !== "") return this.#take("NumericLiteral", number.value, number.end);
    const word = this.#match(/\w+/y)?.[0];
    if (word === undefined) throw new SyntaxError(`Unexpected character: ${char}`);
    return this.#take("Identifier", word, this.#at + word.length);
  }

  #take(type: TokenType, value: string, end: number): TokenType {
    this.#push(type, value);
    this.#at = end;
    return type;
  }
}

const isSymbol = (text: string): text is keyof typeof SYMBOLS => text in SYMBOLS;
