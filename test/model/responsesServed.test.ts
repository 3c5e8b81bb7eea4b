/**
 * `/v1/responses` over a true engine, models of two kinds of memory: what the openai package sends after a reply
 * is resumed behind that reply, by reference and by echo, and answered bit for bit as by a new process that never
 * saw the conversation, asked in chat completions' form.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { ServerProcess } from "../../bench/ServerProcess.ts";
import { chatProtocol } from "../support/clients/chatProtocol.ts";
import { type Asked, ask } from "../support/exactness/ask.ts";
import type { Loose } from "../support/httpClient.ts";
import { type TinyKind, tinyModel } from "../support/tinyModels/tinyModel.ts";

interface Play {
  readonly kind: TinyKind;
  readonly stream: boolean;
  /** Else every item is sent back, as Codex does, arguments as they came. */
  readonly byId: boolean;
}

const PLAYS: readonly Play[] = [
  { kind: "qwen3", stream: true, byId: false },
  { kind: "qwen35", stream: false, byId: true },
];
const PLAY_MS_MAX = 120_000;

const INSTRUCTIONS =
  "You are the assistant of a small workshop. Look things up before you answer, and answer in one or two short " +
  "sentences. Never guess a number: read it from the list with the tool, then say it as it was given.";
const ASK = "Please look at the weather in London and tell me what you find there, with the reason. ".repeat(
  3,
);
const RESULT = '{"temperature": 21.5, "sky": "clear", "wind": "from the north"}';
const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
} as const;
const TOOL = { name: "get_weather", description: "Returns the weather", parameters: SCHEMA } as const;
/** Keys in another order than the schema's, a number that JavaScript writes otherwise, odd white space. */
const CALLING =
  'root ::= "<think>\\n" [a-z ,.]{60,90} "\\n</think>\\n\\n" [A-Z] [a-z ,]{60,90} ".\\n\\n<tool_call>\\n' +
  '{\\"name\\": \\"get_weather\\", \\"arguments\\": {\\"days\\":  " [1-9] ".0, \\"city\\": \\"" [A-Z] [a-z]{6,20} ' +
  '"\\"}}\\n</tool_call>"';
const ANSWERING = 'root ::= "<think>\\n" [a-z ,.]{60,90} "\\n</think>\\n\\n" [A-Z] [a-z ,]{60,90} "."';
const GREEDY = { temperature: 0, seed: 1 };

const itemOf = (reply: Loose, type: string): Loose => reply.output.find((item: Loose) => item.type === type);

function body(grammar: string, byId: boolean, more: object): Loose {
  const tools = [{ type: "function", ...TOOL, strict: false }];
  return {
    model: "tiny",
    ...GREEDY,
    max_output_tokens: 400,
    grammar,
    store: byId,
    prompt_cache_key: "k",
    instructions: INSTRUCTIONS,
    tools,
    ...more,
  };
}

/** The second turn as a client of chat completions would have sent it, from its own first turn on. */
function chatBody(reply: Loose): Record<string, unknown> {
  const { call_id: id, arguments: text } = itemOf(reply, "function_call");
  return {
    model: "tiny",
    ...GREEDY,
    max_tokens: 400,
    grammar: ANSWERING,
    tools: [{ type: "function", function: TOOL }],
    messages: [
      { role: "system", content: INSTRUCTIONS },
      { role: "user", content: ASK },
      {
        role: "assistant",
        content: itemOf(reply, "message").content[0].text,
        reasoning_content: itemOf(reply, "reasoning").summary[0].text,
        tool_calls: [{ id, type: "function", function: { name: TOOL.name, arguments: text } }],
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

async function play({ kind, stream, byId }: Play, home: string): Promise<Played> {
  const { path } = await tinyModel(kind);
  const flags = ["-m", path, "-t", "1", "-np", "1", "-c", "2048", "--debug-hashes", "-ub", "128"];
  const env = { WARMTURN_HOME: home };
  await using server = await ServerProcess.start({ flags, env });
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
  const turn = async (asked: Loose): Promise<Loose> =>
    stream ? await client.responses.stream(asked).finalResponse() : await client.responses.create(asked);
  const user = { role: "user", content: ASK };
  const first = await turn(body(CALLING, byId, { input: [user] }));
  await server.warmIdle();
  const call = itemOf(first, "function_call");
  const output = { type: "function_call_output", call_id: call.call_id, output: RESULT };
  const next = byId
    ? { input: [output], previous_response_id: first.id }
    : { input: [user, ...first.output, output] };
  const second = await turn(body(ANSWERING, byId, next));
  await using fresh = await ServerProcess.start({ flags, env });
  const protocol = { ...chatProtocol(), body: () => chatBody(first) };
  const request = { messages: [] };
  const cold = await ask(
    fresh,
    { key: "none", protocol, delivery: "whole" },
    { request, turn: 2, maxTokens: 0 },
  );
  return { first, second, cold };
}

for (const one of PLAYS) {
  describe(`${one.kind}, ${one.stream ? "streamed" : "whole"}, ${one.byId ? "by id" : "echoed"}`, () => {
    let home: string;
    let played: Played;
    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), "warmturn-responses-"));
      played = await play(one, home);
    }, PLAY_MS_MAX);
    afterAll(() => rm(home, { recursive: true, force: true }));

    test("a call comes as items of their own", () => {
      const { first } = played;
      expect(first.output.map((item: Loose) => item.type)).toEqual(["reasoning", "message", "function_call"]);
      expect(JSON.parse(itemOf(first, "function_call").arguments)).toEqual({
        city: expect.any(String),
        days: expect.any(Number),
      });
      expect(first.status).toBe("completed");
    });

    test("the next turn is warm behind the reply, and its usage says so", () => {
      const { first, second } = played;
      const { usage, warmturn } = second;
      expect(usage.input_tokens_details.cached_tokens).toBe(warmturn.resumed);
      expect(usage.input_tokens).toBe(warmturn.resumed + warmturn.prefilled);
      expect(warmturn.warmed).toBeGreaterThan(0);
      expect(warmturn.resumed).toBeGreaterThan(first.usage.input_tokens + first.usage.output_tokens / 2);
      expect(second.status).toBe("completed");
    });

    test("and says, bit for bit, what a new process says to the same in chat completions' form", () => {
      const { second, cold } = played;
      expect(cold.resumed).toBe(0);
      expect(second.usage.input_tokens).toBe(cold.promptTokens);
      expect(second.warmturn.tokens_hash).toBe(cold.tokensHash);
      expect(second.warmturn.logits_hash).toBe(cold.logitsHash);
      expect(itemOf(second, "message").content[0].text).toBe(cold.reply.content ?? "");
      expect(itemOf(second, "reasoning").summary[0].text).toBe(cold.reply.reasoning_content ?? "");
    });
  });
}
