/** Chat completions. */
import { collect, type Loose } from "../httpClient.ts";
import { type Answer, eventsOf, type Protocol, replyOf } from "./Protocol.ts";
import type { WireReply } from "./wire.ts";

export function chatProtocol(): Protocol {
  return {
    path: "/v1/chat/completions",
    wishes: {
      streamed: { stream_options: { include_usage: true } },
      whole: { logprobs: true, top_logprobs: 3, timings_per_token: true },
    },
    body: ({ request, maxTokens, more }) => ({
      model: "local",
      ...request,
      ...more,
      max_tokens: maxTokens,
    }),
    whole: (body: Loose): Answer => ({
      reply: said(body.choices[0].message),
      finish: body.choices[0].finish_reason,
      promptTokens: body.usage.prompt_tokens,
      warmturn: body.warmturn,
    }),
    streamed(data): Answer {
      if (data.at(-1) !== "[DONE]") throw new Error(`the stream has no end: ${data.at(-1)}`);
      const all = collect(eventsOf(data.slice(0, -1)));
      return {
        reply: replyOf(all.content, all.reasoning, all.calls),
        finish: all.finishes.join(),
        promptTokens: all.usage.prompt_tokens,
        warmturn: all.warmturn,
      };
    },
  };
}

function said({ content, reasoning_content: reasoning, tool_calls: calls = [] }: WireReply) {
  const own = calls.map(({ id, function: called }) => ({ id, ...called }));
  return replyOf(content ?? "", reasoning ?? "", own);
}
