/**
 * The forms in which this client may send our last reply back, likeliest first. Only what survives the
 * canonical form makes one: reasoning kept or dropped, numbers as sent or as JavaScript writes them. Spacing,
 * key order, blank text, edges and block arrays come to the same message, and need none.
 */
import { withJavascriptArguments } from "../chat/javascriptForm.ts";
import type { AssistantMessage } from "../chat/Message.ts";
import { writeJson } from "../json/writeJson.ts";
import type { Habits } from "./WarmJob.ts";

export interface Variant {
  /** For notes, e.g. `reasoning dropped, numbers as sent`. */
  readonly name: string;
  readonly reply: AssistantMessage;
}

interface Habit<K extends keyof Habits> {
  readonly reply: (message: AssistantMessage) => AssistantMessage;
  readonly value: Exclude<Habits[K], "unknown">;
}

const reasoningHabits: readonly [Habit<"reasoning">, Habit<"reasoning">] = [
  { value: "kept", reply: (message) => message },
  { value: "dropped", reply: (message) => ({ ...message, reasoning: "" }) },
];

/** JavaScript's form is first where nothing is known: most clients parse arguments in JavaScript. */
const numberHabits: readonly [Habit<"numbers">, Habit<"numbers">] = [
  { value: "javascript", reply: withJavascriptArguments },
  { value: "as-sent", reply: (message) => message },
];

/** Up to four replies, no two alike; those that a template makes alike are left to the planner to find. */
export function variants(reply: AssistantMessage, habits: Habits): readonly Variant[] {
  const [reasoning, otherReasoning] = ranked(reasoningHabits, habits.reasoning);
  const [numbers, otherNumbers] = ranked(numberHabits, habits.numbers);
  const otherReasoningNext = [otherReasoning, numbers] as const;
  const otherNumbersNext = [reasoning, otherNumbers] as const;
  // Where one habit is known and the other is not, the unknown one is likelier to be guessed wrong: vary it first.
  const numbersLessSure = habits.numbers === "unknown" && habits.reasoning !== "unknown";
  const pairs = [
    [reasoning, numbers] as const,
    ...(numbersLessSure ? [otherNumbersNext, otherReasoningNext] : [otherReasoningNext, otherNumbersNext]),
    [otherReasoning, otherNumbers] as const,
  ];
  const found = new Map<string, Variant>();
  for (const [first, next] of pairs) {
    const variant: Variant = {
      name: `reasoning ${first.value}, numbers ${next.value}`,
      reply: next.reply(first.reply(reply)),
    };
    const text = replyText(variant.reply);
    if (!found.has(text)) found.set(text, variant);
  }
  return [...found.values()];
}

function ranked<K extends keyof Habits>(
  both: readonly [Habit<K>, Habit<K>],
  known: Habits[K],
): readonly [Habit<K>, Habit<K>] {
  return both[1].value === known ? [both[1], both[0]] : both;
}

/** Equal only for equal replies, key order included. */
function replyText(reply: AssistantMessage): string {
  const calls = reply.toolCalls.map((call) =>
    typeof call.arguments === "string" ? [call.arguments] : writeJson(call.arguments),
  );
  return JSON.stringify([reply.reasoning, calls]);
}
