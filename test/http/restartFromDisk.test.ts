/** With kept states on disk a restart costs nobody a prefill: neither the talk that goes on nor, but for windows, a new one like it. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PipedCommand, pipedCommand } from "../support/Command.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const folder = mkdtempSync(join(tmpdir(), "warmturn-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SYSTEM = "You are the assistant of a small railway, and you answer in one sentence. ".repeat(10);

interface Reply {
  readonly choices: readonly { readonly message: object }[];
  readonly usage: {
    readonly prompt_tokens: number;
    readonly prompt_tokens_details: { readonly cached_tokens: number };
  };
  readonly warmturn: { readonly source: string };
}

async function ask(command: PipedCommand, messages: readonly object[]): Promise<Reply> {
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(command.stdout)?.[0] ?? "";
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages, temperature: 0, max_tokens: 8, ignore_eos: true }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Reply;
}

const user = (content: string): object => ({ role: "user", content });

test.each(["qwen3", "lfm2", "gemma3"] as const)(
  "%s: stopped, and started again on the same folder",
  async (kind) => {
    const { path } = await tinyModel(kind);
    const start = async (): Promise<PipedCommand> => {
      const flags = ["-m", path, "-t", "1", "-c", "2048", "-np", "1", "--port", "0", "--log-format", "json"];
      const state = ["--state-disk", "64M", "--state-dir", join(folder, kind)];
      const command = await pipedCommand([...flags, ...state], { WARMTURN_HOME: join(folder, "home") });
      await command.until('"msg":"ready"');
      return command;
    };
    const messages = [{ role: "system", content: SYSTEM }, user("Which train is the first of the day?")];
    const before = await start();
    const first = await ask(before, messages);
    // At once: what is being written is finished.
    expect(await before.end("SIGTERM")).toBe(0);
    await using after = await start();
    messages.push(first.choices[0]?.message ?? {}, user("And the last?"));
    const next = await ask(after, messages);
    expect(next.warmturn.source).toBe("disk");
    // All but the reply and the new message, at most a chunk and a trip in front of them.
    const cached = next.usage.prompt_tokens_details.cached_tokens;
    expect(cached).toBeGreaterThan(first.usage.prompt_tokens - 200);
    const other = await ask(after, [messages[0] ?? {}, user("How long is the line?")]);
    // A window's state at the end of the system prompt is not on disk yet.
    if (kind !== "gemma3") expect(other.usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(0);
    expect(await after.end("SIGTERM")).toBe(0);
  },
  60_000,
);
