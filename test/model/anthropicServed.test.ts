/**
 * `/v1/messages` over a true engine, a model of each kind of memory: what Anthropic's SDK sends after a reply is
 * resumed behind that reply, and answered bit for bit as by a new process that never saw the conversation, asked
 * in chat completions' form.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { ServerProcess } from "../../bench/ServerProcess.ts";
import { chatProtocol } from "../support/clients/chatProtocol.ts";
import { type Asked, ask } from "../support/exactness/ask.ts";
import type { Loose } from "../support/httpClient.ts";
import { type TinyKind, tinyModel } from "../support/tinyModels/tinyModel.ts";

const KINDS: readonly TinyKind[] = ["qwen3", "qwen35", "gemma3", "mamba2"];
const PLAY_MS_MAX = 120_000;

const SYSTEM =
  "You are the assistant of a small workshop. Look things up before you answer, and answer in one or two short " +
  "sentences. Never guess a number: read it from the list with the tool, then say it as it was given.";
const ASK = "Please look at the weather in London and tell me what you find there, with the reason. ".repeat(
  3,
);
/** In the list, behind the first user message, as Claude Code sends it: half of the templates would refuse it. */
const ENVIRONMENT = "# Environment\nPrimary working directory: /work\nToday is a day like any other.";
const RESULT = '{"temperature": 21.5, "sky": "clear", "wind": "from the north"}';
const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
} as const;
/** Keys in another order than the schema's, a number that JavaScript writes otherwise, odd white space. */
const CALLING =
  'root ::= "<think>\\n" [a-z ,.]{60,90} "\\n</think>\\n\\n" [A-Z] [a-z ,]{60,90} ".\\n\\n<tool_call>\\n' +
  '{\\"name\\": \\"get_weather\\", \\"arguments\\": {\\"days\\":  " [1-9] ".0, \\"city\\": \\"" [A-Z] [a-z]{6,20} ' +
  '"\\"}}\\n</tool_call>"';
const ANSWERING = 'root ::= "<think>\\n" [a-z ,.]{60,90} "\\n</think>\\n\\n" [A-Z] [a-z ,]{60,90} "."';
const GREEDY = { temperature: 0, seed: 1, max_tokens: 400 };

/** As Claude Code: marks that move with every request, keys in the schema's order, a billing line that changes. */
function body(turn: number, messages: readonly Anthropic.MessageParam[]): Loose {
  const marked = messages.map((message, index) => {
    if (index < messages.length - 1 || typeof message.content === "string") return message;
    const blocks = message.content.map((block) => ({ ...block, cache_control: { type: "ephemeral" } }));
    return { ...message, content: blocks };
  });
  return {
    model: "tiny",
    ...GREEDY,
    grammar: turn === 1 ? CALLING : ANSWERING,
    thinking: { type: "adaptive", display: "omitted" },
    system: [
      {
        type: "text",
        text: `x-anthropic-billing-header: cc_version=2.1.${turn}; cch=${"abc".repeat(turn)};`,
      },
      { type: "text", text: SYSTEM, cache_control: { type: "ephemeral" } },
    ],
    tools: [{ name: "get_weather", description: "Returns the weather", input_schema: SCHEMA }],
    messages: marked,
    metadata: { user_id: JSON.stringify({ session_id: "s" }) },
  };
}

function echoed(reply: Anthropic.Message): Anthropic.MessageParam {
  const content = reply.content.map((block): Anthropic.ContentBlockParam => {
    if (block.type === "tool_use") {
      const { city, days } = block.input as { city: string; days: number };
      return { type: "tool_use", id: block.id, name: block.name, input: { city, days } };
    }
    return block as Anthropic.ContentBlockParam;
  });
  return { role: "assistant", content };
}

/** The second turn as a client of chat completions would have sent it, from its own first turn on. */
function openaiBody(reply: Anthropic.Message): Record<string, unknown> {
  const of = (type: string): Loose => reply.content.find((block) => block.type === type);
  const { id, name, input } = of("tool_use");
  const call = { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
  const description = "Returns the weather";
  return {
    model: "tiny",
    ...GREEDY,
    grammar: ANSWERING,
    tools: [{ type: "function", function: { name: "get_weather", description, parameters: SCHEMA } }],
    messages: [
      { role: "system", content: SYSTEM },
      { role: "user", content: ASK },
      { role: "system", content: ENVIRONMENT },
      {
        role: "assistant",
        content: of("text").text,
        reasoning_content: of("thinking").thinking,
        tool_calls: [call],
      },
      { role: "tool", tool_call_id: id, content: RESULT },
    ],
  };
}

interface Played {
  readonly first: Loose;
  readonly second: Loose;
  readonly cold: Asked;
}

async function play(kind: TinyKind, home: string, stream: boolean): Promise<Played> {
  const { path } = await tinyModel(kind);
  const flags = ["-m", path, "-t", "1", "-np", "1", "-c", "2048", "--debug-hashes", "-ub", "128"];
  const env = { WARMTURN_HOME: home };
  await using server = await ServerProcess.start({ flags, env });
  const client = new Anthropic({ baseURL: server.url, apiKey: "none", maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [
    { role: "user", content: ASK },
    { role: "system", content: ENVIRONMENT },
  ];
  const turn = async (number: number): Promise<Loose> => {
    if (!stream) return await client.messages.create(body(number, messages));
    const running = client.messages.stream(body(number, messages));
    let report: Loose;
    running.on("streamEvent", (event: Loose) => {
      report ??= event.warmturn;
    });
    return Object.assign(await running.finalMessage(), { warmturn: report });
  };
  const first = await turn(1);
  await server.warmIdle();
  messages.push(echoed(first), {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: first.content[2].id, content: RESULT }],
  });
  const second = await turn(2);
  await using fresh = await ServerProcess.start({ flags, env });
  const protocol = { ...chatProtocol(), body: () => openaiBody(first) };
  const request = { messages: [] };
  const cold = await ask(
    fresh,
    { key: "none", protocol, delivery: "whole" },
    { request, turn: 2, maxTokens: 0 },
  );
  return { first, second, cold };
}

for (const [index, kind] of KINDS.entries()) {
  // Every other kind, so that both are played without twice the time.
  const stream = index % 2 === 0;
  describe(`${kind}, ${stream ? "streamed" : "whole"}`, () => {
    let home: string;
    let played: Played;
    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), "warmturn-anthropic-"));
      played = await play(kind, home, stream);
    }, PLAY_MS_MAX);
    afterAll(() => rm(home, { recursive: true, force: true }));

    test("a call comes as blocks of its own", () => {
      const { first } = played;
      expect(first.content.map((block: Loose) => block.type)).toEqual(["thinking", "text", "tool_use"]);
      expect(first.content[2].input).toEqual({ city: expect.any(String), days: expect.any(Number) });
      expect(first.stop_reason).toBe("tool_use");
    });

    test("the next turn is warm behind the reply, and its usage says so", () => {
      const { first, second } = played;
      const { usage, warmturn } = second;
      const firstPrompt = first.usage.input_tokens + first.usage.cache_read_input_tokens;
      expect(usage.cache_read_input_tokens).toBe(warmturn.resumed);
      expect(usage.input_tokens).toBe(warmturn.prefilled);
      expect(warmturn.warmed).toBeGreaterThan(0);
      expect(warmturn.resumed).toBeGreaterThan(firstPrompt + first.usage.output_tokens / 2);
      expect(second.stop_reason).toBe("end_turn");
    });

    test("and says, bit for bit, what a new process says to the same in chat completions' form", () => {
      const { second, cold } = played;
      const { warmturn, usage } = second;
      expect(cold.resumed).toBe(0);
      expect(usage.input_tokens + usage.cache_read_input_tokens).toBe(cold.promptTokens);
      expect(warmturn.tokens_hash).toBe(cold.tokensHash);
      expect(warmturn.logits_hash).toBe(cold.logitsHash);
      expect(second.content[1].text).toBe(cold.reply.content);
      expect(second.content[0].thinking).toBe(cold.reply.reasoning_content);
    });
  });
}
