/**
 * A model's vocabulary and tokenizer. What is asked often is read once: attributes and end flags at the first
 * use, each token's bytes when first wanted.
 */
import type { FimTokens, SpecialToken, TextVocab } from "../src/run/TextVocab.ts";
import { askText } from "./cText.ts";
import { FfiError, unwrap } from "./FfiError.ts";
import { TokenTable } from "./grammar/TokenTable.ts";
import { CODES, type Shim } from "./symbols.ts";

/** Bits of a token's attributes, as llama.cpp numbers them. */
const TOKEN_CONTROL = 1 << 3;
const TOKEN_USER_DEFINED = 1 << 4;

/** llama.cpp's number of the byte-pair vocabularies, which split text by regular expressions first. */
const VOCAB_BPE = 2;
/** And of BERT's word pieces, which always stand between BOS and SEP. */
const VOCAB_WPM = 3;

/**
 * Runs of one kind of character: letters, white space, or the rest. llama.cpp gives some of its expressions
 * to the C++ library, which recurses once a character of a match: 30,000 digits overflow the stack.
 */
const RUN_CHARS_MAX = 4096;
const LONG_RUN = new RegExp(
  ["[\\p{L}\\p{M}]", "\\s", "[^\\p{L}\\p{M}\\s]"].map((kind) => `${kind}{${RUN_CHARS_MAX}}`).join("|"),
  "gu",
);

/** The text in parts that end where a run is as long as it may be; a function of what is before alone. */
function cutRuns(text: string): string[] {
  if (text.length < RUN_CHARS_MAX) return [text];
  const ends = [...text.matchAll(LONG_RUN)].map((run) => run.index + run[0].length);
  return [0, ...ends].map((start, index) => text.slice(start, ends[index])).filter((part) => part !== "");
}

const encoder = new TextEncoder();

/** The model that a vocabulary belongs to. */
interface VocabOwner {
  readonly path: string;
  /** @throws FfiError("closed") */
  native(): { readonly shim: Shim; readonly id: number };
}

export class Vocab implements TextVocab {
  readonly #model: VocabOwner;
  #tables: { readonly attributes: Int32Array; readonly ends: Uint8Array } | null = null;
  #specials: readonly SpecialToken[] | null = null;
  readonly #pieces: (Uint8Array | undefined)[] = [];
  #size = -1;
  #table: TokenTable | null = null;
  /** Room for tokens, kept between calls. */
  #room = new Int32Array(4096);

  constructor(model: VocabOwner) {
    this.#model = model;
  }

  #number(which: number): number {
    const { shim, id } = this.#model.native();
    return Number(shim.wt_model_number(id, which));
  }

  get size(): number {
    if (this.#size < 0) this.#size = this.#number(CODES.WT_MODEL_VOCAB);
    return this.#size;
  }
  /** False for a file that holds no tokenizer. */
  get hasTokenizer(): boolean {
    return this.kind !== 0;
  }
  get bos(): number {
    return this.#number(CODES.WT_MODEL_BOS);
  }
  get eos(): number {
    return this.#number(CODES.WT_MODEL_EOS);
  }
  /** End of turn; -1 where the vocabulary has none. */
  get eot(): number {
    return this.#number(CODES.WT_MODEL_EOT);
  }
  /** Between two texts; -1 where the vocabulary has none. */
  get sep(): number {
    return this.#number(CODES.WT_MODEL_SEP);
  }
  /** Put behind a text that stands alone; -1 where the model wants nothing there. */
  get end(): number {
    if (this.kind === VOCAB_WPM) return this.sep;
    return this.addEos ? this.eos : -1;
  }
  get addBos(): boolean {
    return this.kind === VOCAB_WPM || this.#number(CODES.WT_MODEL_ADD_BOS) === 1;
  }
  get addEos(): boolean {
    return this.#number(CODES.WT_MODEL_ADD_EOS) === 1;
  }
  get addSep(): boolean {
    return this.#number(CODES.WT_MODEL_ADD_SEP) === 1;
  }
  get fim(): FimTokens {
    return {
      prefix: this.#number(CODES.WT_MODEL_FIM_PRE),
      suffix: this.#number(CODES.WT_MODEL_FIM_SUF),
      middle: this.#number(CODES.WT_MODEL_FIM_MID),
      repo: this.#number(CODES.WT_MODEL_FIM_REP),
      separator: this.#number(CODES.WT_MODEL_FIM_SEP),
    };
  }
  /** llama.cpp's number of the vocabulary's kind; 0 is none. */
  get kind(): number {
    return this.#number(CODES.WT_MODEL_VOCAB_TYPE);
  }

  #read(): { readonly attributes: Int32Array; readonly ends: Uint8Array } {
    const { shim, id } = this.#model.native();
    if (this.#tables) return this.#tables;
    const attributes = new Int32Array(this.size);
    const ends = new Uint8Array(this.size);
    if (this.size > 0) {
      unwrap(shim.wt_vocab_attributes(id, attributes, ends, this.size), "Cannot read the vocabulary");
    }
    this.#tables = { attributes, ends };
    return this.#tables;
  }

  get specials(): readonly SpecialToken[] {
    if (this.#specials) return this.#specials;
    const out: SpecialToken[] = [];
    for (const [id, bits] of this.#read().attributes.entries()) {
      if ((bits & (TOKEN_CONTROL | TOKEN_USER_DEFINED)) === 0) continue;
      const text = this.text(id);
      if (text !== "") out.push({ id, text, kind: bits & TOKEN_CONTROL ? "control" : "user-defined" });
    }
    this.#specials = out;
    return out;
  }

  /** Attribute bits. @throws FfiError("range") for no token of this vocabulary. */
  attributes(token: number): number {
    return this.#read().attributes[this.#checked(token)] ?? 0;
  }

  isControl(token: number): boolean {
    return (this.attributes(token) & TOKEN_CONTROL) !== 0;
  }

  isEnd(token: number): boolean {
    return this.#read().ends[token] === 1;
  }

  /** The entry as the vocabulary spells it; "" for -1, which stands for "none". */
  text(token: number): string {
    if (token === -1) return "";
    const { shim, id } = this.#model.native();
    const checked = this.#checked(token);
    return askText("Cannot read a token", (text, size) => shim.wt_vocab_text(id, checked, text, size));
  }

  piece(token: number): Uint8Array {
    const { shim, id } = this.#model.native();
    const known = this.#pieces[token];
    if (known) return known;
    let bytes = new Uint8Array(64);
    const read = () =>
      unwrap(shim.wt_vocab_piece(id, this.#checked(token), bytes, bytes.byteLength), "Cannot read a token");
    let length = read();
    if (length > bytes.byteLength) {
      bytes = new Uint8Array(length);
      length = read();
    }
    const piece = bytes.slice(0, length);
    this.#pieces[token] = piece;
    return piece;
  }

  /** All tokens in the order of their bytes, for grammars; made at the first use. */
  get table(): TokenTable {
    this.#table ??= new TokenTable(
      this.size,
      (token) => this.piece(token),
      (token) => this.isEnd(token),
    );
    return this.#table;
  }

  tokenise(text: string, parseSpecial: boolean): Int32Array {
    const { shim, id } = this.#model.native();
    if (text === "") return new Int32Array(0);
    if (!this.hasTokenizer) throw new FfiError("range", `${this.#model.path} holds no tokenizer`);
    const parts = this.kind === VOCAB_BPE ? cutRuns(text) : [text];
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return this.#tokenise(shim, id, only, parseSpecial);
    const lists = parts.map((part) => this.#tokenise(shim, id, part, parseSpecial));
    const out = new Int32Array(lists.reduce((sum, list) => sum + list.length, 0));
    let at = 0;
    for (const list of lists) {
      out.set(list, at);
      at += list.length;
    }
    return out;
  }

  #tokenise(shim: Shim, id: number, text: string, parseSpecial: boolean): Int32Array {
    const bytes = encoder.encode(text);
    const ask = () =>
      shim.wt_tokenise(id, bytes, bytes.byteLength, this.#room, this.#room.length, parseSpecial ? 1 : 0);
    if (this.#room.length < bytes.byteLength + 16) this.#room = new Int32Array(bytes.byteLength + 16);
    let count = ask();
    if (count === CODES.WT_TOO_SMALL) {
      this.#room = new Int32Array(this.#room[0] ?? 0);
      count = ask();
    }
    return this.#room.slice(0, unwrap(count, "Cannot tokenise the text"));
  }

  #checked(token: number): number {
    if (!Number.isInteger(token) || token < 0 || token >= this.size) {
      throw new FfiError("range", `there is no token ${token}: the vocabulary has ${this.size}`);
    }
    return token;
  }
}
