/**
 * The one vocabulary of all tiny models: 256 bytes, merges of common words, special tokens. Byte-level BPE,
 * so that every text has tokens and every token is some bytes.
 */
import type { GgufValue } from "../gguf/GgufValue.ts";
import { bool, numbers, str, strings, u32 } from "../gguf/GgufValue.ts";
import { byteSymbol } from "./byteAlphabet.ts";
import { CORPUS } from "./corpus.ts";
import { type ControlToken, SPECIALS } from "./specials.ts";
import { type Merge, trainMerges } from "./trainMerges.ts";

const MERGES = 320;
/** llama.cpp's token types. */
const TOKEN_TYPE = { normal: 1, control: 3, "user-defined": 4 } as const;

/** How likely a random model is to say a token when nothing forces it (see `Weights.head`). */
export type Speech = "word" | "mark" | "tag" | "end" | "never";

/** What of the vocabulary differs between template families. */
export interface TokenizerFamily {
  /** Name of llama.cpp's pre-tokeniser. */
  readonly pre: string;
  readonly bos: ControlToken;
  readonly eos: ControlToken;
  readonly eot: ControlToken;
  readonly addBos: boolean;
}

export class Vocabulary {
  /** In id order; normal tokens in the byte-level alphabet. */
  readonly tokens: readonly string[];
  readonly #merges: readonly Merge[];
  readonly #ids = new Map<string, number>();

  constructor() {
    this.#merges = trainMerges(CORPUS, MERGES);
    const bytes = Array.from({ length: 256 }, (_, byte) => byteSymbol(byte));
    this.tokens = [
      ...bytes,
      ...this.#merges.map(({ left, right }) => left + right),
      ...SPECIALS.map(({ text }) => text),
    ];
    this.tokens.forEach((token, id) => {
      if (this.#ids.has(token)) throw new Error(`token ${token} is there twice`);
      this.#ids.set(token, id);
    });
  }

  id(token: string): number {
    const id = this.#ids.get(token);
    if (id === undefined) throw new Error(`no token ${token}`);
    return id;
  }

  metadata(family: TokenizerFamily, template: string): Map<string, GgufValue> {
    const types = this.tokens.map((_, id) => TOKEN_TYPE[this.#special(id)?.kind ?? "normal"]);
    return new Map<string, GgufValue>([
      ["tokenizer.ggml.model", str("gpt2")],
      ["tokenizer.ggml.pre", str(family.pre)],
      ["tokenizer.ggml.tokens", strings(this.tokens)],
      ["tokenizer.ggml.token_type", numbers("int32", types)],
      ["tokenizer.ggml.merges", strings(this.#merges.map(({ left, right }) => `${left} ${right}`))],
      ["tokenizer.ggml.bos_token_id", u32(this.id(family.bos))],
      ["tokenizer.ggml.eos_token_id", u32(this.id(family.eos))],
      ["tokenizer.ggml.eot_token_id", u32(this.id(family.eot))],
      ["tokenizer.ggml.padding_token_id", u32(this.id("<|endoftext|>"))],
      ["tokenizer.ggml.add_bos_token", bool(family.addBos)],
      ["tokenizer.ggml.add_eos_token", bool(false)],
      ["tokenizer.chat_template", str(template)],
    ]);
  }

  /** A random model should speak in readable words, and name a tag rather than spell it. */
  speech(id: number, family: TokenizerFamily): Speech {
    const special = this.#special(id);
    if (special?.kind === "user-defined") return "tag";
    if (special !== undefined) {
      return special.text === family.eos || special.text === family.eot ? "end" : "never";
    }
    if (id >= 256) return "word";
    const character = String.fromCharCode(id);
    if (/[A-Za-z0-9 .]/.test(character)) return "word";
    return /[\n"',:;!?{}()[\]/_=+*-]/.test(character) ? "mark" : "never";
  }

  #special(id: number): (typeof SPECIALS)[number] | undefined {
    return SPECIALS[id - 256 - this.#merges.length];
  }
}
