/**
 * What the server has learnt of a chat template, and what of a prompt the next turn keeps: asked of the very code
 * that requests and the warm pass go through.
 */
import { spellCalls } from "../../chat/formats/spellCalls.ts";
import type { AssistantMessage, Message, PromptInput } from "../../chat/Message.ts";
import { TRIAL_TOOL, trialInput, trialReply, trialResult } from "../../prompt/learn/trialMessages.ts";
import type { Prompter } from "../../prompt/Prompter.ts";
import type { TextVocab } from "../../run/TextVocab.ts";
import { commonTokens, predictedTokens } from "../../warm/predictedTokens.ts";
import type { CallsReport, NextTurnCase, TemplateReport } from "./DoctorReport.ts";

export function templateReport(prompter: Prompter, vocab: TextVocab, from: string): TemplateReport {
  const texts = (sequences: readonly (readonly number[])[]) =>
    sequences.map((tokens) => textOf(vocab, tokens));
  const cases = CASES.map((one) => nextTurn(prompter, vocab, one));
  const keeps = (next: NextTurnCase["next"]) =>
    cases.some((one) => one.next === next && one.warmed && one.keeps_prompt);
  return {
    from,
    openers: texts(prompter.openers),
    user_openers: texts(prompter.userOpeners),
    other_openers: texts(prompter.otherOpeners),
    tail_openers: texts(prompter.tailOpeners),
    calls: callsReport(prompter),
    reasoning: prompter.dialect.reasoning,
    next_turn: {
      keeps_reasoning_in_tool_loop: prompter.toolDialect.loopReasoning,
      keeps_reasoning_after_user: prompter.dialect.oldReasoning,
      tools_move: keeps("user") && !keeps("user, tools offered"),
      cases,
    },
  };
}

/** Undefined, or why the template gives no prompt for the plainest of requests. */
export function plainRefusal(prompter: Prompter): string | undefined {
  try {
    prompter.tokens(trialInput([USER], []), { addGenerationPrompt: true });
    return undefined;
  } catch (error) {
    return wordsOf(error);
  }
}

function callsReport({ toolDialect }: Prompter): CallsReport {
  const { reply, caps } = toolDialect;
  const { calls } = reply.format;
  const example = { name: "NAME", id: "123456789", arguments: new Map([["KEY", "VALUE"]]) };
  return {
    how: reply.how,
    in_template: caps.calls === "rendered",
    results_in_template: caps.toolRole,
    example: calls === null ? null : spellCalls(calls, [example]),
    read: reply.test(),
  };
}

interface Case {
  readonly next: NextTurnCase["next"];
  readonly prompt: PromptInput;
  readonly reply: AssistantMessage;
}

const USER: Message = { role: "user", content: "wtuser" };
const REPLY = trialReply("wttext", { reasoning: "wtreasoning" });
const CALL = trialReply("", { reasoning: "wtreasoning", argument: "wtargument" });
const CALLS: AssistantMessage = {
  ...CALL,
  toolCalls: [
    ...CALL.toolCalls,
    { id: "call_wt000002", name: TRIAL_TOOL.name, arguments: new Map([["wtkey", "wtother"]]) },
  ],
};
const CASES: readonly Case[] = [
  { next: "user", prompt: trialInput([USER], []), reply: REPLY },
  { next: "user, tools offered", prompt: trialInput([USER], [TRIAL_TOOL]), reply: REPLY },
  { next: "result", prompt: trialInput([USER], [TRIAL_TOOL]), reply: CALL },
  { next: "two results", prompt: trialInput([USER], [TRIAL_TOOL]), reply: CALLS },
  {
    next: "user, after a tool loop",
    prompt: trialInput([USER, CALL, trialResult("wtresult")], [TRIAL_TOOL]),
    reply: REPLY,
  },
];

function nextTurn(prompter: Prompter, vocab: TextVocab, { next, prompt, reply }: Case): NextTurnCase {
  try {
    const sent = prompter.tokens(prompt, { addGenerationPrompt: true }).tokens;
    const predicted = predictedTokens(prompter, prompt, reply);
    const warmed = predicted.length > 0;
    return {
      next,
      warmed,
      why: warmed ? "" : "the next prompt begins otherwise with every next message",
      keeps_prompt: textOf(vocab, commonTokens(sent, predicted)).includes(
        prompt.messages.at(-1)?.content ?? "",
      ),
    };
  } catch (error) {
    return { next, warmed: false, why: wordsOf(error), keeps_prompt: false };
  }
}

function textOf(vocab: TextVocab, tokens: Iterable<number>): string {
  return new TextDecoder().decode(Buffer.concat([...tokens].map((token) => vocab.piece(token))));
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
