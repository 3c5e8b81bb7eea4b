/** `--warm-prompt`: the first request that begins like a named one resumes, by each protocol, for each key. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipedCommand, runCommand } from "../support/Command.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const { path: model } = await tinyModel("qwen3");
const folder = mkdtempSync(join(tmpdir(), "warmturn-test-"));
const system = "You are the assistant of a small railway. ".repeat(12);
const tool = { name: "f", description: "d", parameters: { type: "object", properties: {} } };
const user = (content: string) => [{ role: "user", content }];

const BODIES = {
  chat: {
    messages: [{ role: "system", content: system }, ...user("Hello")],
    tools: [{ type: "function", function: tool }],
    max_completion_tokens: 50,
    stream: true,
  },
  messages: { system: `${system} By messages.`, messages: user("Hello"), max_tokens: 50 },
  responses: { instructions: `${system} By responses.`, input: "Hello" },
};

const files = Object.entries(BODIES).map(([name, body]) => {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(body));
  return file;
});

interface Told {
  readonly usage?: {
    readonly prompt_tokens_details?: { readonly cached_tokens: number };
    readonly input_tokens_details?: { readonly cached_tokens: number };
    readonly cache_read_input_tokens?: number;
  };
}

test("the head of each is kept when the first request comes", async () => {
  const flags = ["-m", model, "-t", "1", "-c", "2048", "-np", "1", "--port", "0", "--log-format", "json"];
  await using command = await pipedCommand([
    ...flags,
    ...["--warm-prompt", files.slice(0, 2).join(","), "--warm-prompt", files[2] ?? ""],
    ...["--api-key", "one,two"],
  ]);
  const warmed = (): number => command.stdout.split('"prompt warmed"').length - 1;
  await command.until(() => warmed() === 6);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(command.stdout)?.[0] ?? "";
  const ask = async (path: string, key: string, body: object): Promise<Told["usage"]> => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    expect([path, answer.status]).toEqual([path, 200]);
    return ((await answer.json()) as Told).usage;
  };
  for (const key of ["two", "one"]) {
    const { system: text } = BODIES.messages;
    const messages = [BODIES.chat.messages[0], ...user("Good morning")];
    const chat = await ask("/v1/chat/completions", key, {
      ...BODIES.chat,
      messages,
      stream: false,
      max_tokens: 1,
    });
    expect(chat?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(100);
    const anthropic = await ask("/v1/messages", key, {
      system: text,
      messages: user("Morning"),
      max_tokens: 1,
    });
    expect(anthropic?.cache_read_input_tokens).toBeGreaterThan(100);
    const { instructions } = BODIES.responses;
    const responses = await ask("/v1/responses", key, {
      instructions,
      input: "Morning",
      max_output_tokens: 1,
    });
    expect(responses?.input_tokens_details?.cached_tokens).toBeGreaterThan(100);
  }
  expect(await command.end("SIGTERM")).toBe(0);
});

test("what holds no body is a sentence at the start; what is refused is a line of the log", async () => {
  const bad = join(folder, "bad.json");
  writeFileSync(bad, "[1]");
  for (const [file, says] of [
    [bad, "holds no request body"],
    [join(folder, "none.json"), "cannot be read (ENOENT)"],
  ]) {
    const ended = await runCommand(["-m", model, "--port", "0", "--warm-prompt", file ?? ""]);
    expect([ended.code, ended.stderr.includes(says ?? "")]).toEqual([1, true]);
  }
  writeFileSync(bad, '{"messages": 1}');
  const flags = ["-m", model, "-t", "1", "-c", "512", "--port", "0", "--log-format", "json"];
  await using command = await pipedCommand([...flags, "--warm-prompt", bad]);
  await command.until("it was refused");
  expect(command.stdout).toContain("messages");
  expect(await command.end("SIGTERM")).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});
