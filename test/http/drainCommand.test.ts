/** A stop signal closes the door, lets replies go on for `--drain-seconds`, and ends each as its protocol does. */
import { expect, test } from "bun:test";
import { serveCommand } from "../support/Command.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const { path: model } = await tinyModel("qwen3");
const messages = [{ role: "user", content: "Hello" }];

/** Path, body and what the stream's last event says of a server that closed. */
const ENDLESS = [
  ["/v1/chat/completions", { messages, max_tokens: 3_500 }, '"shutting_down"'],
  ["/v1/messages", { messages, max_tokens: 3_500 }, '"overloaded_error"'],
  ["/v1/responses", { input: "Hello", max_output_tokens: 3_500 }, "response.failed"],
] as const;

test("running replies are cut at the deadline with their last event, and new ones are refused meanwhile", async () => {
  // Three lanes, each decoded alone: seconds of work.
  const flags = [
    "-m",
    model,
    "-t",
    "1",
    "-c",
    "4096",
    "-np",
    "3",
    "--exact-decode",
    "--drain-seconds",
    "0.2",
  ];
  await using server = await serveCommand(flags);
  const streams = await Promise.all(
    ENDLESS.map(async ([path, body]) => {
      const answer = await fetch(`${server.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...body, ignore_eos: true, stream: true }),
      });
      expect([path, answer.status]).toEqual([path, 200]);
      return answer;
    }),
  );
  const code = server.end("SIGTERM");
  const health = async (): Promise<Response> => await fetch(`${server.url}/health`);
  for (let tries = 0; (await health()).status !== 503 && tries < 50; tries++) await Bun.sleep(5);
  const closing = await health();
  expect([closing.status, await closing.json()]).toMatchObject([503, { status: "closing" }]);
  const texts = await Promise.all(streams.map((answer) => answer.text()));
  for (const [at, [path, , last]] of ENDLESS.entries()) {
    const end = texts[at]?.trimEnd().split("\n\n").slice(-2).join("\n\n") ?? "";
    expect([path, end.includes(last)]).toEqual([path, true]);
  }
  expect(await code).toBe(0);
});
