/**
 * The `openai` package completes a tool loop (call, result, answer) against a real server process, streamed and
 * whole, with the same reply both ways: on the trained demo model by its own choice, on a random model by a forced
 * call. Runs against the executable as well, where WARMTURN_TEST_BINARY names it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { commandName, type ServedCommand, serveCommand } from "../support/Command.ts";
import { TINY_KINDS, tinyModel } from "../support/tinyModels/tinyModel.ts";

type Chat = OpenAI.Chat.Completions.ChatCompletion;
type Params = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;
/** What the package passes on without knowing it. */
interface Extra {
  readonly grammar?: string;
}

const TOOL: OpenAI.Chat.Completions.ChatCompletionTool = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Weather of a place",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    },
  },
};

const QUESTION: readonly OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [
  { role: "system", content: "You are a helpful assistant." },
  { role: "user", content: "What is the weather in Paris?" },
];
const RESULT = '{"temperature": 17, "sky": "clear"}';

/** A small model may call again before it answers. */
const TURNS_MAX = 4;

/** All turns; each is sent when its prompt has been warmed. */
async function play(
  server: ServedCommand,
  stream: boolean,
  call: Partial<Params>,
  answer: Partial<Params> & Extra,
): Promise<readonly Chat[]> {
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
  const base: Params = {
    model: "local",
    messages: [...QUESTION],
    tools: [TOOL],
    temperature: 0,
    max_tokens: 200,
  };
  const ask = (params: Params): Promise<Chat> =>
    stream
      ? client.chat.completions
          .stream({ ...params, stream: true, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : client.chat.completions.create(params);
  const turns: Chat[] = [];
  const messages = [...QUESTION];
  while (turns.length < TURNS_MAX) {
    const chat = await ask({ ...base, ...(turns.length === 0 ? call : answer), messages: [...messages] });
    turns.push(chat);
    const message = messageOf(chat);
    if (message.tool_calls === undefined) break;
    messages.push(message);
    for (const { id } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: RESULT });
    await warmIdle(server);
  }
  return turns;
}

async function warmIdle(server: ServedCommand): Promise<void> {
  for (;;) {
    const response = await fetch(`${server.url}/health`);
    const health = (await response.json()) as { readonly warm?: string };
    if (health.warm === "idle") return;
    await Bun.sleep(2);
  }
}

function messageOf({ choices: [choice] }: Chat): OpenAI.Chat.Completions.ChatCompletionMessage {
  if (choice === undefined) throw new Error("no choice");
  return choice.message;
}

function check(turns: readonly Chat[]): void {
  const [first] = turns;
  const last = turns.at(-1);
  if (first === undefined || last === undefined || first === last) throw new Error("one turn is no loop");
  expect(first.choices[0]?.finish_reason).toBe("tool_calls");
  const call = messageOf(first).tool_calls?.[0];
  if (call?.type !== "function") throw new Error(`no call: ${JSON.stringify(first)}`);
  expect(call.function.name).toBe("get_weather");
  expect(typeof JSON.parse(call.function.arguments)).toBe("object");
  expect(last.choices[0]?.finish_reason).toBe("stop");
  expect(messageOf(last).content?.length ?? 0).toBeGreaterThan(0);
  for (const [i, { usage }] of turns.entries()) {
    const before = turns[i - 1]?.usage?.prompt_tokens;
    if (before === undefined) continue;
    expect(usage?.prompt_tokens).toBeGreaterThan(before);
    // What came before was there already, but for what lies behind its last cut.
    expect(usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(before / 2);
  }
}

/** Without what is drawn anew each time. */
function said(turns: readonly Chat[]): unknown {
  return turns.map((turn) => {
    const { content, tool_calls: calls = [] } = messageOf(turn);
    return [content, ...calls.map((call) => (call.type === "function" ? call.function : call))];
  });
}

function suite(
  name: string,
  open: () => Promise<{
    readonly server: ServedCommand;
    readonly call?: Partial<Params>;
    readonly answer?: Partial<Params> & Extra;
  }>,
): void {
  describe(`the openai package's tool loop on ${name} (${commandName})`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    const loops: (readonly Chat[])[] = [];
    beforeAll(async () => {
      opened = await open();
    }, 30_000);
    afterAll(() => opened.server[Symbol.asyncDispose]());

    for (const stream of [true, false]) {
      test(stream ? "streamed" : "whole", async () => {
        const loop = await play(opened.server, stream, opened.call ?? {}, opened.answer ?? {});
        check(loop);
        loops.push(loop);
      });
    }

    test("both say the same", () => {
      const [streamed, whole] = loops;
      if (streamed === undefined || whole === undefined) throw new Error("both have to be played first");
      expect(said(streamed)).toEqual(said(whole));
    });
  });
}

suite("the demo model", async () => ({ server: await serveCommand(["-t", "1"]) }));

for (const kind of TINY_KINDS) {
  suite(`a random ${kind}`, async () => {
    const { path } = await tinyModel(kind);
    const server = await serveCommand(["-m", path, "-t", "1"]);
    return {
      server,
      call: {
        tool_choice: { type: "function", function: { name: "get_weather" } },
        parallel_tool_calls: false,
        logit_bias: endingSoon(path),
      },
      answer: { grammar: 'root ::= [A-Z] [a-z ]{20,40} "."' } as Extra,
    };
  });
}

/** Without a push, a random model goes on for ever inside its arguments, or with calls. */
function endingSoon(path: string): Record<string, number> {
  using backend = Backend.open();
  using model = Model.load(backend, { path, vocabOnly: true });
  const ends = ["<tool_call>", "}", '"'].map((text) => model.vocab.tokenise(text, true));
  return Object.fromEntries(ends.map((ids) => [String(ids.at(-1)), 60]));
}
