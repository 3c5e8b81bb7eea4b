/**
 * The oracle: where a request should resume, found without the planner. The history is rendered with the reply
 * under every habit and with next messages that have nothing in common; what they share with the real next
 * prompt was there to be warmed, and the last cut (on a window model, the last trip) in it is the answer.
 */
import type { WireMessage, WireReply, WireRequest } from "../clients/wire.ts";
import { habitsOf } from "./habits.ts";
import { type CutRules, naiveCuts } from "./naiveCuts.ts";
import { type PromptSettings, promptTokens } from "./promptTokens.ts";

export interface OracleSettings extends PromptSettings {
  readonly rules: CutRules;
}

export interface Expected {
  /** The cut (on a window model, the trip) to resume at; 0 where there is none. */
  readonly resume: number;
  /** Tokens of the next prompt that could be known before it came. */
  readonly common: number;
  /** The habit that foresaw the most, or `the request itself`. */
  readonly habit: string;
  /** The next request's whole prompt. */
  readonly prompt: readonly number[];
}

/**
 * Texts without a common first or last byte. One begins with a line break: where a message's opener ends with
 * one, they are a token that nobody could know.
 */
const PROBES = ["Alpha one", "zweite 2", "\n\n- third"] as const;

/** `sent` was answered with `reply`; then came `next`, whose messages are `sent`'s, an echo, and new ones. */
export function expectedResume(
  settings: OracleSettings,
  sent: WireRequest,
  reply: WireReply,
  next: WireRequest,
): Expected {
  return foreseenResume((request) => promptTokens(settings, request), settings.rules, sent, reply, next);
}

/** The same with prompts made by anyone, for templates that no stock engine renders. */
export function foreseenResume(
  promptOf: (request: WireRequest) => readonly number[],
  rules: CutRules,
  sent: WireRequest,
  reply: WireReply,
  next: WireRequest,
): Expected {
  const prompt = promptOf(next);
  let common = shared(promptOf(sent), prompt);
  let habit = "the request itself";
  const answer = next.messages[sent.messages.length + 1];
  for (const { name, message } of habitsOf(reply, sent.tools ?? [])) {
    const foreseen = PROBES.map((text) =>
      promptOf({ ...sent, messages: [...sent.messages, message, probe(reply, answer, text)] }),
    );
    const length = Math.min(...foreseen.map((one) => shared(one, prompt)));
    if (length > common) {
      common = length;
      habit = name;
    }
  }
  return { resume: lastPlace(prompt.slice(0, common), rules), common, habit, prompt };
}

/** The last cut (on a window model, the last trip) of these tokens; 0 where there is none. */
export function lastPlace(tokens: readonly number[], rules: CutRules): number {
  const { cuts, trips } = naiveCuts(tokens, rules);
  return (rules.tripTokensMin > 0 ? trips : cuts).at(-1) ?? 0;
}

/** A message of the kind that came, with a text that nobody could know. */
function probe(reply: WireReply, answer: WireMessage | undefined, text: string): WireMessage {
  const call = reply.tool_calls?.[0];
  if (answer?.role === "tool" && call !== undefined) {
    return { role: "tool", tool_call_id: call.id, content: text };
  }
  return { role: "user", content: text };
}

/** How many tokens two prompts begin with in common. */
export function shared(a: readonly number[], b: readonly number[]): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a[at] === b[at]) at++;
  return at;
}
