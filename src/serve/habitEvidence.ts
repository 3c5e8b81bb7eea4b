/**
 * What a request shows of its client's habits: our last reply beside what came back of it. It is evidence only
 * where the habit had something to act on: reasoning in the reply, or numbers that JavaScript writes otherwise.
 */
import { canonicalForm } from "../chat/canonical.ts";
import { withJavascriptArguments } from "../chat/javascriptForm.ts";
import type { AssistantMessage, PromptInput, ToolCall } from "../chat/Message.ts";
import { trimEdges } from "../chat/replyMessage.ts";
import { writeJson } from "../json/writeJson.ts";
import type { Habits } from "../warm/WarmJob.ts";

/** Only what was seen. */
export interface Evidence {
  /** Of replies that only results have followed. */
  readonly reasoning?: Exclude<Habits["reasoning"], "unknown">;
  /** Of replies in front of a user message: there a client may drop what it sends in a tool loop. */
  readonly pastReasoning?: Exclude<Habits["reasoning"], "unknown">;
  readonly numbers?: Exclude<Habits["numbers"], "unknown">;
}

/**
 * `prompt` is the request after the reply, canonical; `position` the number of messages that the request before
 * it had, which is where the reply is expected.
 */
export function habitEvidence(reply: AssistantMessage, prompt: PromptInput, position: number): Evidence {
  const at = findEcho(reply, prompt, position);
  const echo = prompt.messages[at];
  if (echo?.role !== "assistant") return {};
  const evidence: { -readonly [K in keyof Evidence]: Evidence[K] } = {};
  if (reply.reasoning !== "") {
    const isPast = prompt.messages.some(({ role }, index) => index > at && role === "user");
    evidence[isPast ? "pastReasoning" : "reasoning"] = echo.reasoning === "" ? "dropped" : "kept";
  }
  const numbers = numbersEvidence(reply, echo, prompt);
  if (numbers !== undefined) evidence.numbers = numbers;
  return evidence;
}

/** What this client will do with a reply's reasoning: `awaitsResults` where results come next, and no user message. */
export function reasoningHabit(known: Evidence, awaitsResults: boolean): Habits["reasoning"] {
  const { reasoning, pastReasoning } = known;
  // Who drops it of what is past may keep it in a loop; nothing else is known to differ.
  if (awaitsResults) return reasoning ?? (pastReasoning === "kept" ? "kept" : "unknown");
  return pastReasoning ?? reasoning ?? "unknown";
}

/** -1 for none. Ids of calls come back unchanged from every client; a reply without calls is known by place and text. */
function findEcho(reply: AssistantMessage, prompt: PromptInput, position: number): number {
  const id = reply.toolCalls[0]?.id;
  if (id !== undefined) {
    return prompt.messages.findLastIndex(
      (message) => message.role === "assistant" && message.toolCalls.some((call) => call.id === id),
    );
  }
  const message = prompt.messages[position];
  if (message?.role !== "assistant" || message.toolCalls.length > 0) return -1;
  return trimEdges(message.content) === reply.content ? position : -1;
}

function numbersEvidence(
  reply: AssistantMessage,
  echo: AssistantMessage,
  prompt: PromptInput,
): Evidence["numbers"] {
  const asSent = callTexts(reply, prompt);
  const javascript = callTexts(withJavascriptArguments(reply), prompt);
  if (asSent === javascript) return undefined;
  const back = callTexts(echo, prompt);
  if (back === asSent) return "as-sent";
  return back === javascript ? "javascript" : undefined;
}

/** All calls' arguments as prompts hold them. */
function callTexts(message: AssistantMessage, prompt: PromptInput): string {
  return JSON.stringify(
    canonicalForm([message], prompt.tools).flatMap((canonical) =>
      canonical.role === "assistant" ? canonical.toolCalls.map(argumentsText) : [],
    ),
  );
}

function argumentsText(call: ToolCall): string {
  return typeof call.arguments === "string" ? call.arguments : writeJson(call.arguments);
}
