/** `--sleep-after`: the model is unloaded, `/health` says so, and the next request finds its state where it was. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { pipedCommand } from "../support/Command.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const system = "You are the assistant of a small railway. ".repeat(20);

interface Reply {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly prompt_tokens_details: { readonly cached_tokens: number } };
  readonly warmturn: { readonly hashes?: { readonly logits: string } };
}

// Dense, hybrid, window.
describe.each(["qwen3", "lfm2", "gemma3"] as const)("%s", (kind) => {
  test("sleeps, wakes, resumes as if it had not slept", async () => {
    const { path } = await tinyModel(kind);
    const serve = async (more: readonly string[]) => {
      const flags = [
        "-m",
        path,
        "-t",
        "1",
        "-c",
        "2048",
        "--port",
        "0",
        "--log-format",
        "json",
        "--debug-hashes",
      ];
      const command = await pipedCommand([...flags, ...more]);
      await command.until('"ready"');
      return { command, url: /http:\/\/127\.0\.0\.1:\d+/.exec(command.stdout)?.[0] ?? "" };
    };
    const health = async (url: string): Promise<string> =>
      ((await (await fetch(`${url}/health`)).json()) as { status: string }).status;
    const talk = async (url: string, between: () => Promise<void>): Promise<readonly [Reply, string]> => {
      const messages: object[] = [
        { role: "system", content: system },
        { role: "user", content: "Good morning" },
      ];
      const ask = async (stream: boolean): Promise<Response> =>
        await fetch(`${url}/v1/chat/completions`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ messages, max_tokens: 8, temperature: 0, ignore_eos: true, stream }),
        });
      const first = (await (await ask(false)).json()) as Reply;
      messages.push(first.choices[0]?.message ?? {}, { role: "user", content: "And then?" });
      await between();
      const second = (await (await ask(false)).json()) as Reply;
      await between();
      return [second, await (await ask(true)).text()];
    };
    const sleeping = await serve(["--sleep-after", "0.2", "--metrics"]);
    const awake = await serve(["--warm", "off"]);
    await using _sleeping = sleeping.command;
    await using _awake = awake.command;
    let sleeps = 0;
    const untilAsleep = async (): Promise<void> => {
      for (let tries = 0; (await health(sleeping.url)) !== "sleeping" && tries < 400; tries++)
        await Bun.sleep(20);
      expect(await health(sleeping.url)).toBe("sleeping");
      sleeps += 1;
    };
    const [slept, stream] = await talk(sleeping.url, untilAsleep);
    const [plain] = await talk(awake.url, async () => {});
    expect(slept.choices[0]?.message).toEqual(plain.choices[0]?.message);
    expect(slept.warmturn.hashes).toEqual(plain.warmturn.hashes);
    expect(slept.usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(100);
    expect(stream.trimEnd()).toEndWith("data: [DONE]");
    const metrics = await (await fetch(`${sleeping.url}/metrics`)).text();
    expect(Number(/^warmturn_sleeps_total (\d+)/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(sleeps);
    expect(await sleeping.command.end("SIGTERM")).toBe(0);
  }, 60_000);
});

const canRead = process.platform === "linux";
if (!canRead) console.warn("SKIPPED: the memory of a process is read from /proc");

test.skipIf(!canRead)("the memory comes back to the system", async () => {
  const { path } = await tinyModel("qwen3");
  const flags = ["-m", path, "-t", "1", "-c", "32768", "-np", "4", "--no-mmap", "--port", "0"];
  // Nothing is kept: what is measured is the model and the context.
  const own = ["--log-format", "json", "--state-ram", "0", "--sleep-after", "0.3", "--warm", "off"];
  await using command = await pipedCommand([...flags, ...own]);
  await command.until('"ready"');
  const residentMiB = (): number =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${command.pid}/status`, "utf8"))?.[1]) / 1024;
  const before = residentMiB();
  await command.until("asleep");
  await Bun.sleep(100);
  expect(before - residentMiB()).toBeGreaterThan(20);
  expect(await command.end("SIGTERM")).toBe(0);
});
