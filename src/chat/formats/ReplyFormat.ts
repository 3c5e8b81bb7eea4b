/** How a model family writes a whole reply: reasoning, text and calls. What the parser goes by. */
import type { CallFormat } from "../CallFormat.ts";

export interface ReasoningFormat {
  /** Opens reasoning, e.g. `<think>`; "" where only the prompt opens it. */
  readonly start: string;
  readonly end: string;
  /** It may be opened again behind text and between calls; elsewhere its tag is text there. */
  readonly again?: boolean;
}

export interface ReplyFormat {
  /** Null where the model has no reasoning that is known. */
  readonly reasoning: ReasoningFormat | null;
  /** Null where the template neither renders nor explains calls. */
  readonly calls: CallFormat | null;
  /** Marks around the answer's own text that are not part of it, e.g. `<|START_RESPONSE|>`. */
  readonly textMarks: readonly string[];
  /** Replies are made of addressed messages, read by a parser of their own; null for all else. */
  readonly channels: "harmony" | "recipients" | "all" | null;
}

/** Qwen's and Hermes', which most models of no known format are trained on too. */
export const USUAL_FORMAT: ReplyFormat = {
  reasoning: { start: "<think>", end: "</think>" },
  calls: {
    shape: "json",
    sectionStart: "",
    separator: "\n",
    sectionEnd: "",
    parts: [
      '<tool_call>\n{"name": "',
      { slot: "name" },
      '", "arguments": ',
      { slot: "arguments" },
      "}\n</tool_call>",
    ],
    arguments: { kind: "json" },
    several: true,
    bare: false,
  },
  textMarks: [],
  channels: null,
};
