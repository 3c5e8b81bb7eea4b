/** The tokenizer as the HTTP side sees it: llama.cpp's, on a `vocab_only` model (`ffi/Vocab.ts`), or a fake. */
export interface SpecialToken {
  readonly id: number;
  /** Its spelling, e.g. `<|im_start|>`. */
  readonly text: string;
  /** USER_DEFINED spellings are matched in plain text too, CONTROL ones only with parse_special. */
  readonly kind: "control" | "user-defined";
}

/** Tokens that a text to be filled in is put together with; -1 where the vocabulary has none. */
export interface FimTokens {
  readonly prefix: number;
  readonly suffix: number;
  readonly middle: number;
  readonly repo: number;
  readonly separator: number;
}

export interface TextVocab {
  readonly size: number;
  /** CONTROL and USER_DEFINED tokens. */
  readonly specials: readonly SpecialToken[];
  /** -1 where the vocabulary has none. */
  readonly bos: number;
  readonly eos: number;
  /** Whether the model wants BOS in front of every prompt. */
  readonly addBos: boolean;
  /** Adds no BOS and no EOS. With `parseSpecial` false only USER_DEFINED spellings become special ids. */
  tokenise(text: string, parseSpecial: boolean): Int32Array;
  /** Bytes of one token, specials included; may be part of a UTF-8 sequence. */
  piece(token: number): Uint8Array;
  isEnd(token: number): boolean;
}
