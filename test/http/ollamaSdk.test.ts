/** The official `ollama` package: a tool loop, streamed and whole, whose next turn lands warm. */
import { expect, test } from "bun:test";
import { type Message, Ollama, type Tool } from "ollama";
import { fakeServer } from "../support/FakeServer.ts";
import { listening } from "../support/httpClient.ts";
import { type LoopServer, loopServer } from "../support/LoopServer.ts";

const TOOLS: Tool[] = ["add", "sub"].map((name) => ({
  type: "function",
  function: {
    name,
    description: `${name} two numbers, and say what comes of it`,
    parameters: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a"],
    },
  },
}));
const CALL = '<tool_call>\n{"name": "add", "arguments": {"b": 2, "a": 1}}\n</tool_call>';
const REPLY = `<think>\nTwo numbers: I had better add them.\n</think>\n\n${CALL}`;
const OPENING: Message[] = [
  {
    role: "system",
    content: "You are a careful agent who adds numbers, and explains what was done. ".repeat(4),
  },
  { role: "user", content: "What is 1 + 2? Think hard about it. ".repeat(6) },
];

async function ask(client: Ollama, messages: Message[], stream: boolean): Promise<Message> {
  const body = { model: "local", messages, tools: TOOLS, think: true };
  if (!stream) return (await client.chat({ ...body, stream: false })).message;
  const all: Message = { role: "assistant", content: "", thinking: "", tool_calls: [] };
  for await (const { message } of await client.chat({ ...body, stream: true })) {
    all.content += message.content;
    all.thinking += message.thinking ?? "";
    all.tool_calls?.push(...(message.tool_calls ?? []));
  }
  return all;
}

/** The last cut in front of where `text` begins in the newest prompt. */
function placeBefore(server: LoopServer, text: string): number {
  const tokens = server.requests.at(-1)?.plan.tokens ?? new Int32Array();
  const prompt = server.vocab.text(tokens);
  return server.place(tokens, server.vocab.tokenise(prompt.slice(0, prompt.indexOf(text)), true).length);
}

for (const memory of ["dense", "hybrid"] as const) {
  for (const stream of [true, false]) {
    test(`a tool loop on ${memory} memory, ${stream ? "streamed" : "whole"}, lands warm`, async () => {
      const server = loopServer({
        memory,
        reply: (prompt) => (prompt.includes("came: 3") ? "It is 3." : REPLY),
      });
      await using target = listening(server.app);
      const client = new Ollama({ host: target.url });
      const messages = [...OPENING];
      const first = await ask(client, messages, stream);
      await server.idle();
      expect(first).toMatchObject({ content: "", thinking: "Two numbers: I had better add them." });
      expect(first.tool_calls).toMatchObject([{ function: { name: "add", arguments: { a: 1, b: 2 } } }]);
      messages.push(first, { role: "tool", tool_name: "add", content: "what came: 3" });
      const second = await ask(client, messages, stream);
      await server.idle();
      expect(second.content).toBe("It is 3.");
      const resumed = () => {
        const end = server.ends.at(-1);
        return end?.type === "done" ? end.report.resumedTokens : -1;
      };
      expect(resumed()).toBe(placeBefore(server, "what came: 3"));
      messages.push(second, { role: "user", content: "And what is 5 - 2, if you please?" });
      await ask(client, messages, stream);
      expect(resumed()).toBe(placeBefore(server, "And what is 5 - 2"));
    });
  }
}

test("the package's other calls", async () => {
  const server = fakeServer({ apiKeys: ["secret"] });
  await using target = listening(server.app);
  const client = new Ollama({ host: target.url, headers: { authorization: "Bearer secret" } });
  expect((await client.list()).models).toMatchObject([{ name: "fake-model", size: 1000 }]);
  expect((await client.ps()).models).toMatchObject([{ model: "fake-model" }]);
  const shown = await client.show({ model: "fake-model" });
  expect(shown.capabilities).toContain("tools");
  expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/);
  const { embeddings } = await client.embed({ model: "local", input: ["a", "bc"] });
  expect(embeddings.length).toBe(2);
  expect((await client.embeddings({ model: "local", prompt: "a" })).embedding).toEqual(embeddings[0] ?? []);
  server.engine.script = () => ({ text: "hello" });
  const generated = await client.generate({
    model: "local",
    prompt: "hi",
    system: "Be brief.",
    stream: false,
  });
  expect(generated).toMatchObject({ response: "hello", done: true, done_reason: "stop", eval_count: 5 });
  const lines: string[] = [];
  for await (const { response } of await client.generate({ model: "local", prompt: "hi", stream: true })) {
    lines.push(response ?? "");
  }
  expect(lines.join("")).toBe("hello");
  expect(client.pull({ model: "llama3.2", stream: false })).rejects.toThrow("warmturn pull");
  expect(client.delete({ model: "x" })).rejects.toThrow("one model");
  const bad = client.chat({ model: "local", messages: [{ role: "robot", content: "" }] });
  expect(bad).rejects.toThrow("messages[0].role: must be one of");
  const stranger = new Ollama({ host: target.url });
  expect(stranger.list()).rejects.toThrow("API key");
});
