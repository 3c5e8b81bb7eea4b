/** The whole reply format of a template: what is known by its marks, what its renders show, else what is usual. */
import type { CallFormat } from "../CallFormat.ts";
import { inferCalls } from "./inferCalls.ts";
import { knownFormat, unrenderedCalls } from "./knownFormats.ts";
import type { ReasoningFormat, ReplyFormat } from "./ReplyFormat.ts";
import type { ReplyTrial } from "./ReplyTrial.ts";
import { type FormatTest, testFormat } from "./testFormat.ts";

export interface ReplyEvidence {
  readonly trial: ReplyTrial;
  /** The template's text. */
  readonly source: string;
  /** Spellings of the vocabulary's special tokens. */
  readonly specials: readonly string[];
  /** As the renders show it; null where they show none. */
  readonly reasoning: ReasoningFormat | null;
}

export interface StudiedReply {
  readonly format: ReplyFormat;
  /** `usual`: the template renders no calls, or none that could be understood. */
  readonly how: "inferred" | "by hand" | "usual";
  /** Renders a few more calls; for reports. */
  readonly test: () => FormatTest;
}

export function inferReply(evidence: ReplyEvidence): StudiedReply {
  const { trial, source, specials } = evidence;
  const known = knownFormat(source);
  const reasoning = known?.reasoning ?? evidence.reasoning;
  const channels = known?.channels ?? null;
  const marks = known?.textMarks ?? (channels === null ? textMarks(evidence, reasoning) : []);
  const format = (calls: CallFormat | null): ReplyFormat => ({
    reasoning,
    textMarks: marks,
    channels,
    calls,
  });
  const done = (how: StudiedReply["how"], calls: CallFormat | null): StudiedReply => ({
    format: format(calls),
    how,
    test: () => testFormat(format(calls), trial),
  });
  if (known?.calls !== undefined) return done("by hand", known.calls);
  const inferred = inferCalls(trial);
  if (inferred !== null) {
    // A format that cannot read the template's own calls is not used.
    const { oneCall } = testFormat(format(inferred), trial);
    if (oneCall === "exact" || oneCall === "read") return done("inferred", inferred);
  }
  return done("usual", unrenderedCalls(source, specials));
}

const TAG = /^(?:<[|｜][^<>]+>|<[^<>]+[|｜]>)$/;

/** Special tokens in front of a plain reply's text and behind it, but for those of reasoning. */
function textMarks({ trial, source, specials }: ReplyEvidence, reasoning: ReasoningFormat | null): string[] {
  const marks = new Set<string>();
  const { before, behind } = trial.textMarks;
  for (const word of before.match(/<[^<>\s]+>/g) ?? [])
    if (TAG.test(word) && specials.includes(word)) marks.add(word);
  if (behind !== undefined && TAG.test(behind) && specials.includes(behind)) marks.add(behind);
  if (reasoning !== null) {
    // Where reasoning ends as any message does, the header of the next one is part of the reply.
    if (behind === reasoning.end) marks.add(trial.header);
    marks.delete(reasoning.start);
    marks.delete(reasoning.end);
  }
  if (source.includes("<response></response>"))
    for (const tag of ["<response>", "</response>"]) marks.add(tag);
  const final = ["[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"];
  for (const tag of final) if (source.includes(tag) && tag !== reasoning?.end) marks.add(tag);
  return [...marks].filter((mark) => mark !== "" && !trial.isEnd(mark));
}
