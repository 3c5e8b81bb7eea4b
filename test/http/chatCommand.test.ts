/**
 * `warmturn chat` as a person or a script runs it, over a small true model: its second turn finds its prompt warmed.
 * Runs against the executable as well, where WARMTURN_TEST_BINARY names it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  commandName,
  pipedCommand,
  runCommand,
  type ServedCommand,
  serveCommand,
  terminalCommand,
} from "../support/Command.ts";
import { get, json } from "../support/httpClient.ts";
import { screenText } from "../support/screenText.ts";
import { type TinyKind, tinyModel } from "../support/tinyModels/tinyModel.ts";

const SERVER = ["-t", "1", "-np", "1", "-c", "2048", "--temp", "0", "--alias", "tiny"];
const QUESTION = "How are you? Tell me in one sentence, and then in two, and then in three more.";

/** Resolves when the next turn is as ready as it gets. */
async function warmed(server: ServedCommand): Promise<void> {
  while ((await json(await get(server, "/health"))).warm !== "idle") await Bun.sleep(5);
}

describe(`chat (${commandName})`, () => {
  let server: ServedCommand;
  beforeAll(async () => {
    server = await serveCommand(["-m", (await tinyModel("qwen3")).path, ...SERVER]);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  test("lines on stdin, and the second turn finds its prompt warmed", async () => {
    await using chat = await pipedCommand(["chat", "--url", server.url, "-n", "40"]);
    chat.type(`${QUESTION}\n`);
    await chat.untilError("reply ");
    await warmed(server);
    chat.type("And you? \\\nSay more.\n");
    chat.close();
    expect(await chat.exited).toBe(0);
    const lines = chat.stderr.split("\n").filter((line) => line.startsWith("resumed"));
    expect(lines[0]).toMatch(/^resumed 0 · warmed 0 · prefilled \d+ · first token /);
    expect(lines[1]).toMatch(/^resumed \d+ · warmed [1-9]\d* · prefilled \d+ · first token /);
    expect(lines.length).toBe(2);
  });

  test("a turn that fails is told, and by the exit code", async () => {
    await using chat = await pipedCommand(["chat", "--url", server.url, "-n", "1"]);
    chat.type(`${"word ".repeat(3000)}\nHello\n`);
    chat.close();
    expect(await chat.exited).toBe(1);
    expect(chat.stderr).toContain("maximum");
    expect(chat.stderr).toContain("reply 1");
  });

  test("what cannot be chatted with is one sentence", async () => {
    const cases: [string[], string][] = [
      [["--url", "http://127.0.0.1:1"], "Nothing answers at http://127.0.0.1:1/v1/models"],
      [["--url", server.url, "-m", "a.gguf"], "--url and --model exclude each other"],
      [["--url", "http://"], "--url is"],
      [["-m", "missing.gguf"], "there is no such file"],
      [["--tools", "all"], "allowed is demo, none"],
    ];
    for (const [args, says] of cases) {
      const ended = await runCommand(["chat", ...args]);
      expect([args, ended.code]).toEqual([args, 1]);
      expect(ended.stderr).toStartWith("warmturn: ");
      expect(ended.stderr).toContain(says);
      expect(ended.stderr.trim().split("\n").length).toBe(1);
    }
  });
});

const canRun = process.platform !== "win32";
if (!canRun) console.warn("SKIPPED: a chat on a terminal needs a pseudo-terminal");

describe.skipIf(!canRun)(`chat on a terminal (${commandName})`, () => {
  async function open(kind: TinyKind, ...args: readonly string[]) {
    const chat = await terminalCommand(["chat", "-m", (await tinyModel(kind)).path, ...SERVER, ...args]);
    await chat.until(prompts(1));
    return chat;
  }

  test("with a server of its own: a reply, a paste, and Ctrl-C twice leaves", async () => {
    await using chat = await open("lfm2", "-n", "8", "--tools", "demo");
    expect(screenText(chat.screen).replaceAll("\n", " ")).toContain(
      "; tools: get_weather, calculate, search_files, read_file.",
    );
    chat.type("Hello\r");
    await chat.until("reply ");
    await chat.until(prompts(2));
    // A paste is one turn, and here it is not sent but taken back.
    chat.type("\x1b[200~one\ntwo\x1b[201~");
    await chat.until("one⏎two");
    chat.type("\x03");
    await chat.until(prompts(2));
    chat.type("\x03");
    await chat.until("Ctrl-C again or Ctrl-D leaves");
    chat.type("\x03");
    expect(await chat.exited).toBe(0);
  });

  test("on a terminal that has no control sequences there are none", async () => {
    const { path } = await tinyModel("lfm2");
    const args = ["chat", "-m", path, ...SERVER, "-n", "8"];
    await using chat = await terminalCommand(args, { TERM: "dumb" });
    chat.type("Hello\n/nothing\n");
    await chat.until("There is no /nothing");
    chat.type("\x04");
    expect(await chat.exited).toBe(1);
    expect(chat.screen).toContain("first token");
    expect(chat.screen).not.toContain("\x1b");
    await using wrong = await terminalCommand(["chat", "--url", "http://"], { TERM: "dumb" });
    expect(await wrong.exited).toBe(1);
    expect(wrong.screen).toStartWith("warmturn: --url is");
  });

  test("Ctrl-C while the model loads leaves, and no bar", async () => {
    const { path } = await tinyModel("lfm2");
    await using chat = await terminalCommand(["chat", "-m", path, ...SERVER]);
    await chat.until("loading tiny");
    expect([await chat.end("SIGINT"), screenText(chat.screen)]).toEqual([130, ""]);
  });

  test("Ctrl-C stops a reply, not the program; Ctrl-D leaves", async () => {
    await using chat = await open("lfm2", "--ignore-eos");
    const before = chat.screen.length;
    chat.type("Hello\r");
    await chat.until((screen) => screen.length > before + 100);
    // The key, as often as one likes: as a signal it would end the programs that stand in front of this one.
    chat.type("\x03");
    await chat.until("(stopped)");
    await chat.until(prompts(2));
    // What is typed ahead does not stand in the reply, and is there when it has ended.
    const second = chat.screen.length;
    chat.type("Hello\r");
    await chat.until((screen) => screen.length > second + 100);
    chat.type("ahead");
    chat.type("\x03");
    await chat.until((screen) => screenText(screen).trimEnd().endsWith("> ahead"));
    expect(screenText(chat.screen).split("ahead").length).toBe(2);
    expect(screenText(chat.screen).split("(stopped)").length).toBe(3);
    chat.type("\x15");
    await chat.until(prompts(3));
    chat.type("\x04");
    expect(await chat.exited).toBe(0);
  });
});

/** The editor has asked for so many lines, and the last time with nothing typed. */
function prompts(count: number): (screen: string) => boolean {
  return (screen) => screen.split("\x1b[?2004h").length > count && screenText(screen).trimEnd().endsWith(">");
}
