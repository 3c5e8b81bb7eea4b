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
  readonly reasoning?: Exclude<Habits["reasoning"], "unknown">;
  readonly numbers?: Exclude<Habits["numbers"], "unknown">;
}

/**
 * `prompt` is the request after the reply, canonical; `position` the number of messages that the request before
 * it had, which is where the reply is expected.
 */
export function habitEvidence(reply: AssistantMessage, prompt: PromptInput, position: number): Evidence {
  const echo = findEcho(reply, prompt, position);
  if (echo === undefined) return {};
  const evidence: { -readonly [K in keyof Evidence]: Evidence[K] } = {};
  if (reply.reasoning !== "") evidence.reasoning = echo.reasoning === "" ? "dropped" : "kept";
  const numbers = numbersEvidence(reply, echo, prompt);
  if (numbers !== undefined) evidence.numbers = numbers;
  return evidence;
}

/** Ids of calls come back unchanged from every client; a reply without calls is known by place and text. */
function findEcho(
  reply: AssistantMessage,
  prompt: PromptInput,
  position: number,
): AssistantMessage | undefined {
  const id = reply.toolCalls[0]?.id;
  if (id !== undefined) {
    return prompt.messages.findLast(
      (message): message is AssistantMessage =>
        message.role === "assistant" && message.toolCalls.some((call) => call.id === id),
    );
  }
  const message = prompt.messages[position];
  if (message?.role !== "assistant" || message.toolCalls.length > 0) return undefined;
  return trimEdges(message.content) === reply.content ? message : undefined;
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
