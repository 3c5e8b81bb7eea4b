/** A talk of about so many tokens that goes on turn by turn, with replies as the model writes them. */
import { type ChatMessage, type ChatResult, chat } from "../chat.ts";

const WORDS =
  "the points of a small railway are set by hand before each train and noted in the book of the day".split(
    " ",
  );
const REPLY_TOKENS = 24;

/** Text of `chars` characters that no other `salt` gives. A benchmark's vocabulary has a token for each character. */
export function text(salt: number, chars: number): string {
  let words = `${salt}:`;
  for (let i = salt; words.length < chars; i = (i * 1_103_515_245 + 12_345) % 2_147_483_648)
    words += ` ${WORDS[i % WORDS.length]}`;
  return words;
}

export class Talk {
  readonly messages: ChatMessage[];
  readonly #salt: number;
  #turns = 0;

  /** `history` characters stand in the first user message. */
  constructor(system: string, history: number, salt: number) {
    this.#salt = salt;
    this.messages = [
      { role: "system", content: system },
      { role: "user", content: text(salt, history) },
    ];
  }

  /** Characters of the messages that the next turn brings. */
  readonly turnChars = 60;

  async turn(url: string): Promise<ChatResult> {
    this.#turns += 1;
    if (this.#turns > 1)
      this.messages.push({ role: "user", content: text(1_000 * this.#salt + this.#turns, this.turnChars) });
    const body = {
      model: "bench",
      messages: this.messages,
      temperature: 0,
      max_tokens: REPLY_TOKENS,
      ignore_eos: true,
    };
    const result = await chat(url, body);
    this.messages.push(result.message);
    return result;
  }
}

/** What the server says that it evaluated. */
export function prefilled({ warmturn, promptTokens, cachedTokens }: ChatResult): number {
  return Number(warmturn["prefilled"] ?? promptTokens - cachedTokens);
}
