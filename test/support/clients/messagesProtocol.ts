/**
 * Anthropic's messages as Claude Code sends them: a billing line that changes with each request, marks that move
 * and make blocks of what was a string before, arguments as objects, results as the user's.
 */
import type { Loose } from "../httpClient.ts";
import { type Answer, eventsOf, type Protocol, replyOf, type SaidCall } from "./Protocol.ts";
import type { WireContent, WireMessage, WireRequest } from "./wire.ts";

type Blocks = Loose[];
interface Said {
  readonly role: string;
  readonly content: Blocks;
}

const MARK = { cache_control: { type: "ephemeral" } };
const FINISH: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
};

export function messagesProtocol(): Protocol {
  /** By the thinking that each came with. */
  const signatures = new Map<string, string>();
  const answer = (message: Loose): Answer => {
    const blocks = message.content as Blocks;
    const said = (type: string): Blocks => blocks.filter((block) => block.type === type);
    for (const { thinking, signature } of said("thinking")) signatures.set(thinking, signature);
    const calls = said("tool_use").map(
      ({ id, name, input }): SaidCall => ({ id, name, arguments: JSON.stringify(input) }),
    );
    const { input_tokens: fresh, cache_read_input_tokens: read } = message.usage;
    return {
      reply: replyOf(textOf(said("text"), "text"), textOf(said("thinking"), "thinking"), calls),
      finish: FINISH[message.stop_reason] ?? message.stop_reason,
      promptTokens: fresh + read,
      warmturn: message.warmturn,
    };
  };
  return {
    path: "/v1/messages?beta=true",
    body: ({ request, turn, maxTokens, more }) => ({
      model: "local",
      max_tokens: maxTokens,
      thinking: { type: "adaptive", display: "omitted" },
      metadata: { user_id: JSON.stringify({ session_id: "s" }) },
      ...more,
      ...conversation(request, turn, signatures),
    }),
    whole: answer,
    streamed: (data) => answer(gathered(eventsOf(data))),
  };
}

function conversation({ messages, tools = [] }: WireRequest, turn: number, signatures: Map<string, string>) {
  const first = messages[0]?.role === "system" ? messages[0] : undefined;
  const billing = `x-anthropic-billing-header: cc_version=2.1.${turn}; cch=${"abc".repeat(turn)};`;
  return {
    ...(first === undefined
      ? {}
      : {
          system: [
            { type: "text", text: billing },
            { type: "text", text: flat(first.content), ...MARK },
          ],
        }),
    tools: tools.map(({ function: { name, description, parameters } }) => ({
      name,
      description,
      input_schema: parameters,
    })),
    messages: marked(grouped(first === undefined ? messages : messages.slice(1), signatures)),
  };
}

/** Results that follow one another are one user message. */
function grouped(messages: readonly WireMessage[], signatures: ReadonlyMap<string, string>): Said[] {
  const out: Said[] = [];
  let results: Blocks | undefined;
  for (const message of messages) {
    if (message.role === "tool") {
      const block = {
        type: "tool_result",
        tool_use_id: message.tool_call_id,
        content: flat(message.content),
        is_error: false,
      };
      if (results === undefined) {
        results = [];
        out.push({ role: "user", content: results });
      }
      results.push(block);
      continue;
    }
    results = undefined;
    if (message.role === "assistant") out.push({ role: "assistant", content: spoken(message, signatures) });
    else out.push({ role: message.role, content: [{ type: "text", text: flat(message.content) }] });
  }
  return out;
}

function spoken(message: WireMessage, signatures: ReadonlyMap<string, string>): Blocks {
  const { reasoning_content: thinking, tool_calls: calls = [] } = message;
  const text = flat(message.content);
  return [
    ...(thinking ? [{ type: "thinking", thinking, signature: signatures.get(thinking) ?? "" }] : []),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, function: { name, arguments: input } }) => ({
      type: "tool_use",
      id,
      name,
      input: JSON.parse(input),
    })),
  ];
}

/** The last message's last block carries the mark; a lone text that does not is a string. */
function marked(messages: readonly Said[]): Loose[] {
  return messages.map(({ role, content }, index) => {
    if (index === messages.length - 1) {
      return {
        role,
        content: content.map((block, i) => (i === content.length - 1 ? { ...block, ...MARK } : block)),
      };
    }
    const lone = content.length === 1 && content[0].type === "text";
    return { role, content: lone ? content[0].text : content };
  });
}

/** A stream's events as the message that a whole answer is. */
function gathered(events: readonly Loose[]): Loose {
  if (events.at(-1)?.type !== "message_stop") throw new Error(`the stream ends with ${events.at(-1)?.type}`);
  const blocks: Loose[] = [];
  let message: Loose = {};
  for (const event of events) {
    if (event.type === "message_start") message = { ...event.message };
    if (event.type === "content_block_start") blocks.push({ ...event.content_block, json: "" });
    if (event.type === "content_block_delta") take(blocks[event.index], event.delta);
    if (event.type !== "message_delta") continue;
    const { delta, usage, warmturn } = event;
    message = { ...message, ...delta, usage: { ...message.usage, ...usage }, warmturn };
  }
  const content = blocks.map(({ json, ...block }) =>
    block.type === "tool_use" ? { ...block, input: JSON.parse(json) } : block,
  );
  return { ...message, content };
}

function take(block: Loose, { type, ...delta }: Loose): void {
  if (type === "text_delta") block.text += delta.text;
  else if (type === "thinking_delta") block.thinking += delta.thinking;
  else if (type === "signature_delta") block.signature = delta.signature;
  else block.json += delta.partial_json;
}

function textOf(blocks: Blocks, field: "text" | "thinking"): string {
  return blocks.map((block) => block[field]).join("\n");
}

function flat(content: WireContent | undefined): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text }) => text).join("\n");
}
