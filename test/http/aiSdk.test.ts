/**
 * The AI SDK through all four of its providers that speak to this server: a tool loop that it runs itself, with
 * calls side by side, and the user's next turn; streamed and whole. What the server warmed is what came: each
 * turn's `warmturn` figures show that it resumed at the last cut that could be known. Abort and objects, too.
 */
import { describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
  tool,
} from "ai";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import type { Loose } from "../support/httpClient.ts";
import { type LoopServer, type LoopServerOptions, loopServer } from "../support/LoopServer.ts";

interface Provider {
  readonly name: string;
  readonly model: (fetch: typeof globalThis.fetch) => LanguageModel;
  /** Whether it reads reasoning, and sends it back with the next request. */
  readonly reasons: boolean;
  readonly options?: Readonly<Record<string, Record<string, string | boolean>>>;
}

/** Every memory kind once a provider. */
const PLAYS: readonly (readonly [memory: MemoryKind, stream: boolean])[] = [
  ["dense", true],
  ["hybrid", false],
  ["window", true],
  ["recurrent", false],
];

const at = { baseURL: "http://localhost/v1", apiKey: "none" };

const responses = (store: boolean): Provider => ({
  name: `openai responses, ${store ? "by reference" : "by echo"}`,
  model: (fetch) => createOpenAI({ ...at, fetch }).responses("local"),
  reasons: true,
  options: { openai: { store } },
});

const PROVIDERS: readonly Provider[] = [
  {
    name: "openai-compatible",
    model: (fetch) =>
      createOpenAICompatible({ ...at, name: "warmturn", supportsStructuredOutputs: true, fetch })("local"),
    reasons: true,
  },
  {
    name: "openai chat",
    model: (fetch) => createOpenAI({ ...at, fetch }).chat("local"),
    reasons: false,
  },
  responses(true),
  responses(false),
  { name: "anthropic", model: (fetch) => createAnthropic({ ...at, fetch })("local"), reasons: true },
];

const call = (a: number): string =>
  `<tool_call>\n{"name": "add", "arguments": {"b": 2, "a": ${a}.0}}\n</tool_call>`;

/** By what the prompt ends with: two calls side by side, one behind a text, and an answer to each user. */
function reply(prompt: string): string {
  if (prompt.includes("And backwards?")) return "<think>\nbackwards\n</think>\n\nBackwards it is 15, too.";
  if (prompt.includes("The sum is 7")) return "<think>\nall there\n</think>\n\nIt is 15.";
  if (prompt.includes("The sum is 5")) return `<think>\nonce more\n</think>\n\nOnce more.\n\n${call(5)}`;
  return `<think>\nadd them\n</think>\n\n${call(1)}\n${call(3)}`;
}

/** The AI SDK's `fetch`, straight into the application; gives what each answer says of its warmth. */
function wire(server: LoopServer): { fetch: typeof globalThis.fetch; figures: Promise<Loose>[] } {
  const figures: Promise<Loose>[] = [];
  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request ? input : new Request(String(input), init);
    const response = await server.app.fetch(request);
    figures.push(
      response
        .clone()
        .text()
        .then(figuresOf, () => undefined),
    );
    return response;
  };
  return { fetch: Object.assign(send, { preconnect: () => {} }), figures };
}

function figuresOf(body: string): Loose {
  const found = /"warmturn":(\{[^}]*\})/.exec(body)?.[1];
  return found === undefined ? undefined : JSON.parse(found);
}

function opened(options: Partial<LoopServerOptions> = {}) {
  const server = loopServer({ memory: "dense", reply, ...options });
  const add = tool({
    description: "adds",
    inputSchema: jsonSchema<{ a: number; b: number }>({
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    }),
    execute: async ({ a, b }) => {
      // As long as a tool takes.
      await server.idle();
      return `The sum is ${a + b}`;
    },
  });
  return { server, add, ...wire(server) };
}

/** What nobody could know of each request after the first: where it begins. */
const UNKNOWN = ["The sum is 3", "The sum is 7", "And backwards?"];

for (const provider of PROVIDERS) {
  describe(provider.name, () => {
    for (const [memory, stream] of PLAYS) {
      test(`tool loop and next turn, ${memory}, ${stream ? "streamed" : "whole"}`, async () => {
        const { server, add, fetch, figures } = opened({ memory });
        const ask = async (messages: ModelMessage[]) => {
          const options = {
            model: provider.model(fetch),
            instructions: "You add, with the tool, and say what came of it. ".repeat(3),
            messages,
            tools: { add },
            maxOutputTokens: 1000,
            stopWhen: stepCountIs(5),
            maxRetries: 0,
            ...(provider.options === undefined ? {} : { providerOptions: provider.options }),
          };
          const result = stream ? streamText(options) : await generateText(options);
          const steps = await result.steps;
          await server.idle();
          return { steps, messages: steps.flatMap(({ response }) => response.messages) };
        };
        const first: ModelMessage[] = [{ role: "user", content: `What is the sum? ${"Think. ".repeat(20)}` }];
        const loop = await ask(first);
        expect(
          loop.steps.map((step) => [step.reasoningText, step.text, step.toolCalls.length, step.finishReason]),
        ).toEqual([
          [provider.reasons ? "add them" : undefined, "", 2, "tool-calls"],
          [provider.reasons ? "once more" : undefined, "Once more.", 1, "tool-calls"],
          [provider.reasons ? "all there" : undefined, "It is 15.", 0, "stop"],
        ]);
        expect(loop.steps[0]?.toolCalls[0]).toMatchObject({ toolName: "add", input: { a: 1, b: 2 } });
        await ask([...first, ...loop.messages, { role: "user", content: "And backwards?" }]);
        expect(server.requests.map(({ conversation }) => conversation.turn)).toEqual([1, 2, 3, 4]);
        await checkWarm(server, figures, memory);
        // Old reasoning is not shown behind a user message; in a tool loop it is, where it came back.
        const inLoop = server.vocab.text(server.requests[2]?.plan.tokens ?? []);
        expect(inLoop.includes("once more")).toBe(provider.reasons);
      });
    }

    test("an abort ends the run; the retry resumes at the prompt's last cut", async () => {
      const long = "On and on it goes. ".repeat(2000);
      const { server, fetch, figures } = opened({ reply: () => long });
      const leaving = new AbortController();
      const options = {
        model: provider.model(fetch),
        prompt: `Tell me a long story. ${"Please. ".repeat(40)}`,
        maxOutputTokens: 3000,
        maxRetries: 0,
      };
      const result = streamText({ ...options, abortSignal: leaving.signal });
      for await (const part of result.stream) if (part.type === "text-delta") leaving.abort();
      await server.idle();
      expect(server.ends.map(({ type }) => type)).toEqual(["aborted"]);
      await generateText(options);
      const { tokens } = server.requests[1]?.plan ?? { tokens: new Int32Array() };
      expect((await figures[1]).resumed).toBe(server.place(tokens, tokens.length - 1));
    });

    test("an object of a schema is held, and read", async () => {
      const { server, fetch } = opened({ reply: () => '{"city": "Oslo"}' });
      const schema = jsonSchema<{ city: string }>({
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
        additionalProperties: false,
      });
      const { output } = await generateText({
        model: provider.model(fetch),
        prompt: "Which city?",
        maxOutputTokens: 100,
        maxRetries: 0,
        output: Output.object({ schema }),
        providerOptions: { anthropic: { structuredOutputMode: "outputFormat" } },
      });
      expect(output).toEqual({ city: "Oslo" });
      expect(server.requests[0]?.sampling?.grammar).toContain('"\\"city\\""');
    });
  });
}

/** Every turn but the first resumed at the last cut before what nobody could know, and on what was warmed. */
async function checkWarm(
  server: LoopServer,
  figures: readonly Promise<Loose>[],
  memory: MemoryKind,
): Promise<void> {
  expect(figures.length).toBe(UNKNOWN.length + 1);
  for (const [index, unknown] of UNKNOWN.entries()) {
    const tokens = server.requests[index + 1]?.plan.tokens ?? new Int32Array();
    const text = server.vocab.text(tokens);
    const known = server.vocab.tokenise(text.slice(0, text.lastIndexOf(unknown)), true).length;
    const { resumed, prefilled, warmed } = await figures[index + 1];
    const place = server.place(tokens, known);
    // A window's live end is good at any cut; a second variant's is the last trip.
    if (memory === "window") expect(resumed).toBeGreaterThanOrEqual(place);
    else expect({ unknown, resumed }).toEqual({ unknown, resumed: place });
    expect(resumed + prefilled).toBe(tokens.length);
    expect(warmed).toBeGreaterThan(0);
  }
}
