/**
 * What is certain of the next prompt: the history with each of two probes as its next message, rendered and
 * tokenised as a request is, clipped to the tokens that both share. A history rendered without a next message
 * is no prefix of the next prompt in many templates; one probe alone would warm the probe's own text.
 */
import { canonicalForm } from "../chat/canonical.ts";
import type { AssistantMessage, Message, PromptInput } from "../chat/Message.ts";
import { grownPrompt, type RawPrompt } from "../prompt/RawPrompt.ts";

/** The Prompter, as far as the warm pass uses it. */
export interface Renderer {
  tokens(
    input: PromptInput,
    options: { readonly addGenerationPrompt: boolean },
  ): { readonly tokens: Int32Array };
  rawTokens(prompt: RawPrompt): Int32Array;
}

/**
 * A letter, and line breaks with a digit: no character in common, and no merge with the opener's own last
 * characters (a line break, a space, a quote) that both would make. A template that trims leaves `A` and `1`.
 */
const probeTexts = ["Ahead of the next message", "\n\n1: the next message"] as const;

/** The two messages that may come next after `reply`: its first call's result, or the user's. */
function probes(reply: AssistantMessage): readonly [Message, Message] {
  const [a, b] = probeTexts;
  return [probe(reply, a), probe(reply, b)];
}

function probe(reply: AssistantMessage, content: string): Message {
  const call = reply.toolCalls[0];
  if (call === undefined) return { role: "user", content };
  return { role: "tool", content, toolCallId: call.id, name: call.name };
}

/**
 * Tokens that the prompt after `reply` begins with, whatever its next message says. `prompt` is the request that
 * was replied to. Throws what the template raises.
 */
export function predictedTokens(
  renderer: Renderer,
  prompt: PromptInput,
  reply: AssistantMessage,
): Int32Array {
  const [a, b] = probes(reply);
  return commonTokens(tokensWith(a), tokensWith(b));

  function tokensWith(next: Message): Int32Array {
    const messages = canonicalForm([...prompt.messages, reply, next], prompt.tools);
    return renderer.tokens({ ...prompt, messages }, { addGenerationPrompt: true }).tokens;
  }
}

/**
 * What the client may write behind its text: a letter, a digit, a mark, a new line. Each may merge with the text's
 * end.
 */
const RAW_PROBES = ["A", "1", ")", "\n\n"] as const;

/** The same of a prompt without messages, which goes on with whatever its client writes next. */
export function predictedRaw(renderer: Renderer, grown: RawPrompt): Int32Array {
  const last = grown.parts[grown.grows];
  // The client continues with token ids of its own: text would merge with none of them.
  if (last === undefined || "tokens" in last) return renderer.rawTokens(grown);
  return RAW_PROBES.map((text) => renderer.rawTokens(grownPrompt(grown, { text, tokens: [] }))).reduce(
    commonTokens,
  );
}

export function commonTokens(a: Int32Array, b: Int32Array): Int32Array {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}
