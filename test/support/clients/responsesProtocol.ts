/**
 * The Responses API: by echo as Codex speaks it, which sends every item back as it got it, or by the last
 * response's id, where only what is new is sent.
 */
import type { Loose } from "../httpClient.ts";
import { type Answer, eventsOf, type Protocol, replyOf, type SaidCall } from "./Protocol.ts";
import type { WireContent, WireMessage } from "./wire.ts";

export function responsesProtocol({ byId }: { readonly byId: boolean }): Protocol {
  /** Reasoning items by the text that they hold: they come back byte for byte. */
  const reasoning = new Map<string, Loose>();
  let previous: string | undefined;
  const answer = (response: Loose): Answer => {
    const items = response.output as Loose[];
    const said = (type: string): Loose[] => items.filter((item) => item.type === type);
    const thoughts = said("reasoning").map((item) => ({ item, text: textOf(item.summary) }));
    for (const { item, text } of thoughts) reasoning.set(text, item);
    previous = response.id;
    const calls = said("function_call").map(
      ({ call_id, name, arguments: text }): SaidCall => ({ id: call_id, name, arguments: text }),
    );
    const content = said("message").map((item) => textOf(item.content));
    return {
      reply: replyOf(content.join("\n"), thoughts.map(({ text }) => text).join("\n"), calls),
      finish: response.status === "incomplete" ? "length" : calls.length > 0 ? "tool_calls" : "stop",
      promptTokens: response.usage.input_tokens,
      warmturn: response.warmturn,
    };
  };
  return {
    path: "/v1/responses",
    body({ request: { messages, tools = [] }, maxTokens, more }) {
      const isFirst = messages[0]?.role === "system";
      const listed = isFirst ? messages.slice(1) : messages;
      const since = byId && previous !== undefined ? lastReply(listed) + 1 : 0;
      return {
        model: "local",
        max_output_tokens: maxTokens,
        store: byId,
        prompt_cache_key: "k",
        ...more,
        ...(isFirst ? { instructions: flat(messages[0]?.content) } : {}),
        ...(since > 0 ? { previous_response_id: previous } : {}),
        tools: tools.map(({ function: shown }) => ({ type: "function", strict: false, ...shown })),
        input: listed.slice(since).flatMap((message) => itemsOf(message, reasoning)),
      };
    },
    whole: answer,
    streamed(data) {
      const events = eventsOf(data);
      for (const [index, event] of events.entries()) {
        if (event.sequence_number !== index) throw new Error(`event ${index} is ${event.sequence_number}`);
      }
      const last = events.at(-1);
      if (!/^response\.(completed|incomplete)$/.test(last?.type)) {
        throw new Error(`the stream ends with ${last?.type}`);
      }
      return answer(last.response);
    },
  };
}

function lastReply(messages: readonly WireMessage[]): number {
  return messages.findLastIndex((message) => message.role === "assistant");
}

function itemsOf(message: WireMessage, reasoning: ReadonlyMap<string, Loose>): Loose[] {
  const text = flat(message.content);
  if (message.role === "tool") {
    return [{ type: "function_call_output", call_id: message.tool_call_id, output: text }];
  }
  if (message.role !== "assistant") {
    const role = message.role === "system" ? "developer" : message.role;
    return [{ type: "message", role, content: [{ type: "input_text", text }] }];
  }
  const { reasoning_content: thought, tool_calls: calls = [] } = message;
  const fresh = { type: "reasoning", id: "rs_0", summary: [{ type: "summary_text", text: thought }] };
  return [
    ...(thought ? [reasoning.get(thought) ?? fresh] : []),
    ...(text === ""
      ? []
      : [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }]),
    ...calls.map(({ id, function: { name, arguments: sent } }) => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: sent,
    })),
  ];
}

function textOf(parts: readonly Loose[]): string {
  return parts.map(({ text }) => text).join("\n");
}

function flat(content: WireContent | undefined): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text }) => text).join("\n");
}
