/**
 * The conversations of the exactness matrix: long enough for six cuts, 512 cells and two turns of the sliding
 * window, with replies that a grammar shapes and bounds, so that random models play them to their end.
 */
import type { EchoClient } from "../clients/echo.ts";
import { echoClient } from "../clients/echo.ts";
import type { Sent } from "../clients/Protocol.ts";
import type { WireReply, WireRequest, WireTool } from "../clients/wire.ts";

export type Next = "user" | "tool";
export type Reasoning = "kept" | "dropped";

export const TOOLS: readonly WireTool[] = [
  tool("get_weather", "Returns the weather of a city", {
    city: { type: "string", description: "The name of the city" },
    days: { type: "integer" },
  }),
  tool("read_file", "Reads a file and returns its lines", {
    path: { type: "string" },
    limit: { type: "integer" },
  }),
];

const SYSTEM =
  "You are the assistant of a small workshop. Look things up before you answer, and answer in one or two short " +
  "sentences. Never guess a number: read it from the list with the tool, then say it as it was given. When a tool " +
  "fails, say so and try another one. Keep the names of files and cities exactly as the user wrote them.";

const TOPICS = ["the weather in London", "the lines of the file that changed", "the order of grey paint"];

/** What one reply may be: reasoning and a text, with or without a call behind it. */
const GRAMMARS: Readonly<Record<Next, string>> = {
  user: `root ::= ${thought()} ${text()} "."`,
  tool:
    `root ::= ${thought()} ${text()} ".\\n<tool_call>\\n{\\"name\\": \\"get_weather\\", \\"arguments\\": {\\"city\\": \\"" ` +
    `[A-Z] [a-z]{6,20} "\\", \\"days\\": " [1-9] [0-9]{0,2} "}}\\n</tool_call>"`,
};

/** Sampling of a request; greedy, or seeded. */
export interface Sampled {
  readonly temperature: number;
  readonly seed: number;
  /** More of the request's sampling fields. */
  readonly [field: string]: number;
}

export const GREEDY: Sampled = { temperature: 0, seed: 1 };

export interface Talk {
  readonly next: Next;
  readonly reasoning: Reasoning;
  readonly sampled: Sampled;
  /** Which texts it is made of: talks of another number share system prompt and tools, and nothing after. */
  readonly number: number;
}

/** The first turn: system, tools, a past exchange, and a question. */
export function firstRequest({ number }: Talk): WireRequest {
  const topic = TOPICS[number % TOPICS.length] ?? "";
  const ask = `Question ${number}: please look at ${topic} and tell me what you find there, with the reason for it. `;
  return {
    messages: [
      { role: "system", content: SYSTEM },
      { role: "user", content: ask.repeat(4).trim() },
      {
        role: "assistant",
        content: `I looked at ${topic}, and there is nothing new in it today. `.repeat(3).trim(),
      },
      {
        role: "user",
        content: `Then look again, ${number} times if you have to, and read ${topic} to its end. `.repeat(3),
      },
    ],
    tools: TOOLS,
  };
}

/** The second turn, as this talk's client sends it after `reply`. */
export function secondRequest(talk: Talk, reply: WireReply): WireRequest {
  const first = firstRequest(talk);
  const client = clientOf(talk);
  return {
    ...first,
    messages: [...first.messages, client.echo(reply, TOOLS), nextMessage(talk, client, reply)],
  };
}

function nextMessage({ next, number }: Talk, client: EchoClient, reply: WireReply) {
  if (next === "user")
    return { role: "user" as const, content: `Good. And what about number ${number + 1}?` };
  const call = reply.tool_calls?.[0];
  if (call === undefined) throw new Error(`the reply holds no call: ${JSON.stringify(reply)}`);
  return client.result(call, `{"temperature": ${number}.5, "sky": "clear", "wind": "from the north"}`);
}

/** A client that sends reasoning back, and one that does not; both re-serialise arguments. */
function clientOf({ reasoning }: Talk): EchoClient {
  return echoClient(reasoning === "kept" ? "opencode" : "Continue");
}

/** A turn, to be said in a protocol's words. The second reply is an answer. */
export function sentOf(talk: Talk, request: WireRequest, turn: 1 | 2): Sent {
  const grammar = GRAMMARS[turn === 1 ? talk.next : "user"];
  return { request, turn, maxTokens: 500, more: { ...talk.sampled, grammar } };
}

function thought(): string {
  return '"<think>\\n" [a-z ,.]{120,200} "\\n</think>\\n\\n"';
}

function text(): string {
  return "[A-Z] [a-z ,]{150,220}";
}

function tool(name: string, description: string, properties: Readonly<Record<string, object>>): WireTool {
  return {
    type: "function",
    function: { name, description, parameters: { type: "object", properties } },
  } as WireTool;
}
