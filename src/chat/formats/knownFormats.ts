/**
 * Formats that no render shows: the model writes otherwise than its history reads, or the template renders no
 * calls. Found by marks in the template's text, never by a name.
 */
import type { CallFormat } from "../CallFormat.ts";
import { type ReplyFormat, USUAL_FORMAT } from "./ReplyFormat.ts";

interface Known {
  readonly marks: readonly string[];
  readonly format: Partial<ReplyFormat>;
}

const call = (format: Partial<CallFormat> & Pick<CallFormat, "parts" | "arguments">): CallFormat => ({
  shape: "named",
  sectionStart: "",
  separator: "",
  sectionEnd: "",
  several: true,
  bare: false,
  ...format,
});

const HARMONY: Known = {
  marks: ["<|channel|>", "<|message|>", "analysis"],
  format: {
    channels: "harmony",
    reasoning: { start: "<|channel|>analysis<|message|>", end: "<|end|>" },
    // As the model writes it. In the history the recipient stands in front of the channel.
    calls: call({
      parts: [
        "<|channel|>commentary to=functions.",
        { slot: "name" },
        " <|constrain|>json<|message|>",
        { slot: "arguments" },
      ],
      arguments: { kind: "json" },
      several: false,
    }),
  },
};

const FUNCTIONARY: Known = {
  marks: [">>>all"],
  format: {
    channels: "all",
    // The prompt ends in `>>>`.
    calls: call({
      separator: "\n>>>",
      parts: [{ slot: "name" }, "\n", { slot: "arguments" }],
      arguments: { kind: "json" },
    }),
  },
};

const GEMMA: Known = {
  marks: ["<|tool_call>", '<|"|>'],
  format: {
    reasoning: { start: "<|channel>thought", end: "<channel|>", again: true },
    textMarks: ["<|channel>", "<channel|>", "<turn|>"],
    calls: call({
      parts: ["<|tool_call>call:", { slot: "name" }, "{", { slot: "arguments" }, "}<tool_call|>"],
      arguments: { kind: "gemma" },
    }),
  },
};

const MINIMAX_MARK = "]<]minimax[>[";
const MINIMAX: Known = {
  marks: [MINIMAX_MARK, '<invoke name="'],
  format: {
    calls: call({
      sectionStart: `${MINIMAX_MARK}<tool_call>\n`,
      parts: [
        `${MINIMAX_MARK}<invoke name="`,
        { slot: "name" },
        '">',
        { slot: "arguments" },
        `${MINIMAX_MARK}</invoke>\n`,
      ],
      arguments: { kind: "tree", mark: MINIMAX_MARK },
      sectionEnd: `${MINIMAX_MARK}</tool_call>`,
    }),
  },
};

const KIMI_TAGS: Known = {
  marks: ["<|open|>", "<|close|>", "<|sep|>"],
  format: {
    reasoning: { start: "<|open|>think<|sep|>", end: "<|close|>think<|sep|>" },
    textMarks: [
      "<|open|>response<|sep|>",
      "<|close|>response<|sep|>",
      "<|close|>message<|sep|>",
      "<|end_of_msg|>",
    ],
    calls: call({
      sectionStart: "<|open|>tools<|sep|>",
      parts: [
        '<|open|>call tool="',
        { slot: "name" },
        '" index="',
        { slot: "index", from: 1 },
        '"<|sep|>',
        { slot: "arguments" },
        "<|close|>call<|sep|>",
      ],
      arguments: {
        kind: "tagged",
        keyStart: '<|open|>argument key="',
        textKeyEnd: '" type="string"<|sep|>',
        keyEnd: '" type="number"<|sep|>',
        valueEnd: "<|close|>argument<|sep|>",
        separator: "",
        texts: "raw",
        nested: "json",
        words: "json",
      },
      sectionEnd: "<|close|>tools<|sep|>",
    }),
  },
};

/** muse: its calls are inferred, whom they are addressed to is not. */
const RECIPIENTS: Known = {
  marks: [" to=self", "<|message|>"],
  format: { channels: "recipients", reasoning: { start: " to=self<|message|>", end: "<|eom|>" } },
};

/** What the model writes is known, in full or in part. */
const WHOLE: readonly Known[] = [HARMONY, FUNCTIONARY, GEMMA, MINIMAX, KIMI_TAGS, RECIPIENTS];

const KEYWORDS = {
  format: {
    calls: call({
      sectionStart: "<|tool_call_start|>[",
      separator: ", ",
      parts: [{ slot: "name" }, "(", { slot: "arguments" }, ")"],
      arguments: { kind: "pythonic" },
      sectionEnd: "]<|tool_call_end|>",
    }),
  },
};

const GRANITE: Known = {
  marks: ["<|tool_call|>"],
  format: {
    calls: call({
      shape: "json",
      sectionStart: "<|tool_call|>[",
      separator: ", ",
      parts: ['{"name": "', { slot: "name" }, '", "arguments": ', { slot: "arguments" }, "}"],
      arguments: { kind: "json" },
      sectionEnd: "]",
    }),
  },
};

/** For templates that speak of calls but render none. */
const UNRENDERED: readonly Known[] = [
  { ...KEYWORDS, marks: ["<|tool_call_start|>"] },
  { ...KEYWORDS, marks: ["<|tool_list_start|>"] },
  { ...KEYWORDS, marks: ["<|tool_response_start|>"] },
  GRANITE,
];

const has = (source: string) => (known: Known) => known.marks.every((mark) => source.includes(mark));

export function knownFormat(source: string): Partial<ReplyFormat> | null {
  return WHOLE.find(has(source))?.format ?? null;
}

/** `specials` are spelled by the vocabulary, for templates that leave the form to the model. */
export function unrenderedCalls(source: string, specials: readonly string[]): CallFormat | null {
  const known = UNRENDERED.find(has(source)) ?? UNRENDERED.find(has(specials.join("\n")));
  return known?.format.calls ?? USUAL_FORMAT.calls;
}
