/** How a template writes reasoning, found once by trials: what the reply parser and the warm pass go by. */
import { inferReply, type StudiedReply } from "../../chat/formats/inferReply.ts";
import type { ReasoningFormat } from "../../chat/formats/ReplyFormat.ts";
import { ReplyTrial } from "../../chat/formats/ReplyTrial.ts";
import type { Message } from "../../chat/Message.ts";
import type { TextVocab } from "../../run/TextVocab.ts";
import type { OpenerSource } from "./OpenerSource.ts";
import type { TemplateCaps } from "./TemplateCaps.ts";
import { TRIAL_TOOL, trialInput, trialReply, trialResult } from "./trialMessages.ts";

export interface Dialect {
  /** Tags around reasoning, e.g. `<think>` and `</think>`; null where the model has none that is known. */
  readonly reasoning: ReasoningFormat | null;
  /** How replies are written, and how that was found. */
  readonly reply: StudiedReply;
  /** Is reasoning printed inside a tool loop, when the client sends it back? */
  readonly loopReasoning: boolean;
  /** Is it still printed after the next user message? */
  readonly oldReasoning: boolean;
  readonly caps: TemplateCaps;
}

const USER: Message = { role: "user", content: "wtuser" };

export function learnDialect(
  source: OpenerSource,
  template: string,
  caps: TemplateCaps,
  openers: readonly (readonly number[])[],
): Dialect {
  const reply = trialReply("wttext", { reasoning: "wtreasoning" });
  const call = trialReply("", { reasoning: "wtreasoning", argument: "wtargument" });
  const last = source.render(trialInput([USER, reply], []), false) ?? "";
  const loop = source.render(trialInput([USER, call, trialResult("wtresult")], [TRIAL_TOOL]), true) ?? "";
  const old = source.render(trialInput([USER, reply, { role: "user", content: "wtnext" }], []), true) ?? "";
  // A mark that opens messages, or stands in front of any text, says nothing of reasoning (harmony's do both).
  const user = source.render(trialInput([USER], []), false) ?? "";
  const starts = new Set(openers.flat());
  const opening = source.vocab.specials.filter(({ id }) => starts.has(id)).map(({ text }) => text);
  const tags = [tagsAround(last), tagsAround(loop)].find(
    (pair) => pair !== null && !user.includes(pair.start) && !opening.includes(pair.start),
  );
  const { vocab } = source;
  const reasoning = tags ?? usualTags(template, vocab);
  const studied = inferReply({
    trial: new ReplyTrial({
      render: (messages, tools, generation) => source.render(trialInput(messages, tools), generation),
      isEnd: (tag) => vocab.specials.some(({ id, text }) => text === tag && vocab.isEnd(id)),
      reasoning,
    }),
    source: template,
    specials: vocab.specials.map(({ text }) => text),
    reasoning,
  });
  return {
    reasoning: studied.format.reasoning,
    reply: studied,
    loopReasoning: loop.includes("wtreasoning"),
    oldReasoning: old.includes("wtreasoning"),
    caps,
  };
}

const TAG_BEFORE = /(<[^<>\s]+>|\[[^[\]\n]+\])\s*$/;
const TAG_BEHIND = /^\s*(<[^<>\s]+>|\[[^[\]\n]+\])/;

function tagsAround(rendered: string): Dialect["reasoning"] {
  const [before, behind] = rendered.split("wtreasoning");
  const start = TAG_BEFORE.exec(before ?? "")?.[1];
  const end = TAG_BEHIND.exec(behind ?? "")?.[1];
  return start === undefined || end === undefined ? null : { start, end };
}

const USUAL_TAGS: readonly ReasoningFormat[] = [
  { start: "<think>", end: "</think>" },
  { start: "[THINK]", end: "[/THINK]" },
  { start: "<seed:think>", end: "</seed:think>" },
  { start: "<mm:think>", end: "</mm:think>" },
  { start: "<|START_THINKING|>", end: "<|END_THINKING|>" },
  { start: "<|inner_prefix|>", end: "<|inner_suffix|>" },
  // Apriel's prompt opens its reasoning with words.
  { start: "Here are my reasoning steps:", end: "[BEGIN FINAL RESPONSE]" },
];

/** Templates that print no reasoning field: they cut it out of the text, only open it, or leave it to the model. */
function usualTags(template: string, vocab: TextVocab): ReasoningFormat | null {
  const named = USUAL_TAGS.find(({ end }) => template.includes(end));
  return named ?? USUAL_TAGS.find(({ end }) => vocab.specials.some(({ text }) => text === end)) ?? null;
}

/** Text literals that a template looks for in a message: `'</think>' in content`, `content.split('</think>')`. */
const READ_LITERAL =
  /(["'])((?:(?!\1)[^\\\n])+)\1\s+(?:not\s+)?in\s|\.(?:r?split|r?find|replace|startswith|endswith|r?partition)\(\s*(["'])((?:(?!\3)[^\\\n])+)\3/g;
/** What opens or answers a call is never the assistant's to write into a prompt. */
const OF_CALLS = /tool|call|func|result|response|output/i;

/** Special tokens that the assistant's own text keeps, because its template reads them there. */
export function readTags(
  source: OpenerSource,
  template: string,
  openers: readonly (readonly number[])[],
): ReadonlySet<string> {
  const { vocab } = source;
  const closed = new Set([...openers.flat(), vocab.bos, vocab.eos]);
  const tags = new Set<string>();
  for (const match of template.matchAll(READ_LITERAL)) {
    for (const { special } of source.spellings.find(match[2] ?? match[4] ?? "")) {
      if (closed.has(special.id) || vocab.isEnd(special.id) || OF_CALLS.test(special.text)) continue;
      tags.add(special.text);
    }
  }
  return tags;
}
