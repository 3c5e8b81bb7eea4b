/**
 * Keeps client data plain: it can never become a special token. Before a render a private-use character is
 * put inside every spelling of a special token in the data, so that after it the only whole spellings are
 * those that the template wrote; then it is taken out again. The character, and its JSON escape, occur nowhere
 * in the data or the template, so taking it out gives back exactly what was there.
 */
import { AppError } from "../base/AppError.ts";
import { insideOf, type Spellings } from "./Spellings.ts";

export class Mask {
  /** The private-use character of this render. */
  readonly char: string;
  readonly #spellings: Spellings;
  readonly #edges: EdgeSet;
  readonly #gone: RegExp;
  /** Plain names that are bounded like text. */
  readonly #bound: ReadonlySet<string>;
  /** Plain names that were left as they are, though a spelling may be made of one. */
  readonly #left = new Set<string>();

  private constructor(spellings: Spellings, edges: EdgeSet, char: string, bound: ReadonlySet<string>) {
    this.#spellings = spellings;
    this.#edges = edges;
    this.char = char;
    this.#bound = bound;
    this.#gone = new RegExp(`${char}|\\\\u${char.charCodeAt(0).toString(16)}`, "gi");
  }

  /** `texts` are all strings that will meet in the render, the template's own included. */
  static over(spellings: Spellings, edges: EdgeSet, texts: Iterable<string>): Mask {
    const used = new Set<string>();
    for (const text of texts) {
      for (const [char] of text.matchAll(PRIVATE_USE)) used.add(char);
      for (const [, hex] of text.matchAll(ESCAPED))
        used.add(String.fromCharCode(Number.parseInt(hex ?? "", 16)));
    }
    for (let code = 0xe000; code <= 0xf8ff; code++) {
      const char = String.fromCharCode(code);
      if (!used.has(char)) return new Mask(spellings, edges, char, NOTHING);
    }
    throw new AppError(
      "invalid-request",
      "messages: use every private-use character of Unicode; leave one out.",
    );
  }

  /**
   * For names, keys and schemas. Templates compare those: of plain names (`type`, `object`, `think`) nothing is
   * touched; what else could be completed to a spelling is bounded as text is (`<` + "|im_end|" + `>`).
   */
  word(text: string): string {
    const masked = this.#inside(text, NOTHING);
    if (!PLAIN_NAME.test(text) || this.#bound.has(text)) return this.#bounded(masked, text);
    if (this.#edges.cores.has(text)) this.#left.add(text);
    return masked;
  }

  /**
   * A mask that bounds the plain names too of which a special token in `render` may have been made (a schema's key
   * `tool_call` in a template that prints `<` + key + `>`); undefined where there are none.
   */
  stricter(render: string): Mask | undefined {
    if (this.#left.size === 0) return undefined;
    const cores = new Set(this.#spellings.find(render).map(({ special }) => coreOf(special.text)));
    const made = new Set([...this.#left].filter((name) => cores.has(name)));
    return made.size === 0 ? undefined : new Mask(this.#spellings, this.#edges, this.char, made);
  }

  /**
   * For text: besides whole spellings, what the template's own characters beside it could complete to one
   * (`[` + "INST" + `]`).
   */
  text(text: string): string {
    return this.#bounded(this.#inside(text, NOTHING), text);
  }

  /** For the assistant's own text: the tags that its template reads stay. */
  echo(text: string, kept: ReadonlySet<string>): string {
    return this.#bounded(this.#inside(text, kept), text);
  }

  unmask(text: string): string {
    return text.replace(this.#gone, "");
  }

  #inside(text: string, kept: ReadonlySet<string>): string {
    const found = this.#spellings.occurrences(text);
    if (found.length === 0) return text;
    let out = "";
    let done = 0;
    for (const spelled of found) {
      if (kept.has(spelled.special.text)) continue;
      // Inside the spelling; in front of one that has no inside.
      const inside = insideOf(spelled);
      const at = inside < spelled.to ? inside : spelled.from;
      if (at < done) continue;
      out += text.slice(done, at) + this.char;
      done = at;
    }
    return out + text.slice(done);
  }

  #bounded(masked: string, text: string): string {
    const bare = text.trim();
    if (bare === "") return masked;
    const before = this.#edges.endsOne(bare) || this.#edges.isInside(bare);
    const after = this.#edges.beginsOne(bare);
    if (!before && !after) return masked;
    const start = masked.length - masked.trimStart().length;
    const end = masked.trimEnd().length;
    return (
      masked.slice(0, start) +
      (before ? this.char : "") +
      masked.slice(start, end) +
      (after ? this.char : "") +
      masked.slice(end)
    );
  }
}

const NOTHING: ReadonlySet<string> = new Set();
const PLAIN_NAME = /^[\p{L}\p{N}_. -]*$/u;

/** A spelling without its brackets. */
function coreOf(spelling: string): string {
  return spelling.replace(/^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu, "");
}
const PRIVATE_USE = /[\ue000-\uf8ff]/g;
const ESCAPED = /\\u([ef][0-9a-f]{3})/gi;

/** Written by the host in each tool, and read by every template that prints tools. */
const TOOL_KEYS: ReadonlySet<string> = new Set(["", "type", "function", "name", "description", "parameters"]);

/** Parts of spellings that a text could complete, or be completed to, by what stands beside it. */
export class EdgeSet {
  readonly #heads = new Set<string>();
  readonly #tails = new Set<string>();
  /** Names that stand between the brackets of a spelling, without those that every tool has. */
  readonly cores: ReadonlySet<string>;
  readonly #spellings: Spellings;

  constructor(spellings: Spellings) {
    this.#spellings = spellings;
    this.cores = new Set(
      spellings.specials.map(({ text }) => coreOf(text)).filter((core) => !TOOL_KEYS.has(core)),
    );
    for (const { text } of spellings.specials) {
      for (let cut = 1; cut < text.length; cut++) {
        this.#heads.add(text.slice(0, cut));
        this.#tails.add(text.slice(cut));
      }
    }
  }

  /** Does `text` end with the beginning of a spelling? */
  beginsOne(text: string): boolean {
    const most = Math.min(text.length, this.#spellings.lengthMax - 1);
    for (let size = 1; size <= most; size++) if (this.#heads.has(text.slice(-size))) return true;
    return false;
  }

  /** Does `text` begin with the end of a spelling? */
  endsOne(text: string): boolean {
    const most = Math.min(text.length, this.#spellings.lengthMax - 1);
    for (let size = 1; size <= most; size++) if (this.#tails.has(text.slice(0, size))) return true;
    return false;
  }

  /** Is all of `text` the middle of a spelling? */
  isInside(text: string): boolean {
    if (text.length > this.#spellings.lengthMax - 2) return false;
    return this.#spellings.specials.some((special) => special.text.includes(text));
  }
}
