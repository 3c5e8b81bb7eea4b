/** A chat against the HTTP application over a fake engine: what it sends, and what it keeps of what it gets. */
import { describe, expect, test } from "bun:test";
import { ChatClient } from "../../../../src/cli/chat/ChatClient.ts";
import { ChatTools } from "../../../../src/cli/chat/ChatTools.ts";
import { Conversation } from "../../../../src/cli/chat/Conversation.ts";
import { type ChatLoop, chatLoop } from "../../../../src/cli/chat/chatLoop.ts";
import { DEMO_TOOLS } from "../../../../src/cli/chat/demoTools.ts";
import type { Delta, Reply } from "../../../../src/cli/chat/wireMessages.ts";
import { FAKE_MODEL, type FakeServer, fakeServer } from "../../../support/FakeServer.ts";
import { listening } from "../../../support/httpClient.ts";

const CALL = '<tool_call>\n{"name": "calculate", "arguments": {"expression": "6 * 7"}}\n</tool_call>';

type Shown = Delta | Reply | string;

function textOf(shown: readonly Shown[], type: Delta["type"] = "text"): string {
  const pieces = shown.map((one) =>
    typeof one === "object" && "type" in one && one.type === type && "text" in one ? one.text : "",
  );
  return pieces.join("");
}

interface Opened extends AsyncDisposable {
  readonly server: FakeServer;
  readonly conversation: Conversation;
  readonly shown: Shown[];
  onDelta: () => void;
  /** Types the lines and gives what `chatLoop` gives; `stop` is called by `onStop`. */
  readonly type: (lines: readonly string[], onStop?: ChatLoop["onStop"]) => Promise<boolean>;
}

/** The engine says the texts one after the other, then the last one again. */
function open(texts: readonly string[], base?: string): Opened {
  const server = fakeServer();
  let at = 0;
  server.engine.script = () => ({ text: texts[Math.min(at++, texts.length - 1)] ?? "" });
  const target = listening(server.app);
  const client = new ChatClient(
    { base: base ?? target.url, apiKey: null },
    { model: FAKE_MODEL, maxTokens: 9999 },
  );
  const conversation = new Conversation(client, new ChatTools(DEMO_TOOLS), "Be kind.");
  const shown: Shown[] = [];
  const watch = {
    delta: (delta: Delta) => {
      shown.push(delta);
      opened.onDelta();
    },
    replied: (reply: Reply) => void shown.push(reply),
    result: (_: unknown, text: string) => void shown.push(text),
    notice: (text: string) => void shown.push(text),
  };
  const type: Opened["type"] = (lines, onStop = () => () => {}) => {
    const left = [...lines];
    return chatLoop({ conversation, watch, readLine: async () => left.shift() ?? null, onStop });
  };
  const opened: Opened = {
    server,
    conversation,
    shown,
    onDelta: () => {},
    type,
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  };
  return opened;
}

const SYSTEM = { role: "system", content: "Be kind." } as const;

describe("a turn", () => {
  test("replies go back with their reasoning and calls, as they came", async () => {
    await using chat = open([`<think>\nA sum.\n</think>\n\nI look.\n${CALL}`, "It is 42.", "Bye."]);
    expect(await chat.type(["What is 6 * 7?", "Thanks"])).toBe(true);
    const id = expect.any(String);
    const calls = [
      {
        id,
        type: "function" as const,
        function: { name: "calculate", arguments: '{"expression": "6 * 7"}' },
      },
    ];
    expect(chat.conversation.messages).toEqual([
      SYSTEM,
      { role: "user", content: "What is 6 * 7?" },
      { role: "assistant", content: "I look.", reasoning_content: "A sum.", tool_calls: calls },
      { role: "tool", tool_call_id: id, content: '{"result": 42}' },
      { role: "assistant", content: "It is 42." },
      { role: "user", content: "Thanks" },
      { role: "assistant", content: "Bye." },
    ]);
    // What the server rendered is the history as it had predicted it: the reply's own message, and its job.
    const { prompts, jobs } = chat.server;
    expect(jobs.length).toBeGreaterThan(1);
    const last = prompts.at(-1)?.messages ?? [];
    for (const [turn, job] of jobs.entries()) {
      if (turn === jobs.length - 1) break;
      const length = (prompts[turn]?.messages.length ?? 0) + 1;
      expect(last[length - 1]).toEqual(job.reply);
    }
  });

  test("is shown as it streams", async () => {
    await using chat = open([`<think>\nA sum.\n</think>\n\n${CALL}`, "It is 42."]);
    await chat.type(["What is 6 * 7?"]);
    const said = [textOf(chat.shown, "reasoning"), textOf(chat.shown, "arguments"), textOf(chat.shown)];
    expect(said).toEqual(["A sum.", '{"expression": "6 * 7"}', "It is 42."]);
    expect(chat.shown).toContainEqual({ type: "call", name: "calculate" });
    expect(chat.shown).toContain('{"result": 42}');
    expect(chat.shown.at(-1)).toMatchObject({
      finish: "stop",
      report: { warmturn: { resumed: 0, warmed: 0 } },
    });
  });

  test("a model that only calls does not go on for ever", async () => {
    await using chat = open([CALL]);
    expect(await chat.type(["Go"])).toBe(false);
    expect(chat.server.engine.runs.length).toBe(16);
    expect(chat.shown.at(-1)).toContain("Stopped after 16");
  });
});

describe("a reply that is broken off", () => {
  /** The person stops the reply when all of `text` is shown, or when the model has begun to think of it. */
  async function stoppedAt(text: string): Promise<{ messages: readonly unknown[]; good: boolean }> {
    await using chat = open([]);
    chat.server.engine.script = () => ({ text, hold: "decode" });
    const started = chat.server.engine.nextRun();
    let stop = (): void => {};
    chat.onDelta = () => {
      if (textOf(chat.shown) === text) stop();
    };
    if (text === "") void started.then((run) => run.held).then(() => stop());
    const good = await chat.type(["Tell me"], (given) => {
      stop = given;
      return () => {};
    });
    await (await started).cancelled;
    return { messages: chat.conversation.messages, good };
  }

  test("stays as far as it came, and the chat goes on", async () => {
    const { messages, good } = await stoppedAt("Once upon a time");
    expect(messages.slice(0, 2)).toEqual([SYSTEM, { role: "user", content: "Tell me" }]);
    expect(messages[2]).toEqual({ role: "assistant", content: "Once upon a time" });
    expect(good).toBe(true);
  });

  test("without a word takes the question back", async () => {
    expect((await stoppedAt("")).messages).toEqual([SYSTEM]);
  });
});

describe("what goes wrong", () => {
  test("the server's own sentence, and the question is taken back", async () => {
    await using chat = open([""]);
    chat.server.engine.script = () => ({ fail: { code: "out-of-memory", message: "No memory is left." } });
    expect(await chat.type(["Hello"])).toBe(false);
    expect(chat.conversation.messages).toEqual([SYSTEM]);
    expect(chat.shown.at(-1)).toMatchObject({ finish: "failed", why: expect.stringContaining("memory") });
  });

  test("no server", async () => {
    await using chat = open([""], "http://127.0.0.1:1");
    expect(await chat.type(["Hello"])).toBe(false);
    expect(chat.shown).toMatchObject([
      { finish: "failed", why: "The connection broke (ECONNREFUSED); /retry says the turn again." },
    ]);
    const asked = ChatClient.modelOf({ base: "http://127.0.0.1:1", apiKey: null }, () => {});
    expect(await asked.catch(String)).toContain(
      "Nothing answers at http://127.0.0.1:1/v1/models (ECONNREFUSED); is the server started?",
    );
  });

  test("a server that goes away in the middle: what came stays, and the next step is told", async () => {
    const half = 'data: {"choices":[{"index":0,"delta":{"content":"Half a"}}]}\n\n';
    const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
    for (const bytes of [
      `${head}transfer-encoding: chunked\r\n\r\n${half.length.toString(16)}\r\n${half}\r\n`,
      `${head}content-length: 9999\r\n\r\n${half}`,
    ]) {
      let die = (): void => {};
      const dying = Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: {
          data: (socket) => {
            socket.write(bytes);
            die = () => void socket.end();
          },
        },
      });
      try {
        await using chat = open([""], `http://127.0.0.1:${dying.port}`);
        chat.onDelta = () => die();
        expect(await chat.type(["Hello"])).toBe(false);
        expect(chat.shown.at(-1)).toMatchObject({
          finish: "failed",
          why: expect.stringMatching(/^The connection broke \(.+\); \/retry says the turn again\.$/),
        });
        expect(chat.conversation.messages.at(-1)).toMatchObject({ role: "assistant", content: "Half a" });
      } finally {
        dying.stop(true);
      }
    }
  });

  test("a key that is missing or wrong, and a server that is no such server", async () => {
    await using target = listening(fakeServer({ apiKeys: ["right"] }).app);
    const ask = (apiKey: string | null, base = target.url): Promise<string> =>
      ChatClient.modelOf({ base, apiKey }, () => {}).catch(String);
    expect(await ask("right")).toBe(FAKE_MODEL);
    expect(await ask(null)).toContain("wants an API key: --api-key KEY");
    expect(await ask("wrong")).toContain("does not take this API key");
    expect(await ask("right", `${target.url}/llm`)).toContain(
      `There is no ${target.url}/llm/v1/models; --url is the address in front of /v1`,
    );
    await using other = Object.assign(
      Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hi") }),
    );
    expect(await ask(null, `http://127.0.0.1:${other.port}`)).toContain("lists no model");
  });

  test("a server that loads is waited for", async () => {
    const server = fakeServer();
    server.phase = "loading";
    await using target = listening(server.app);
    const name = await ChatClient.modelOf({ base: target.url, apiKey: null }, () => {
      server.phase = "ready";
    });
    expect(name).toBe(FAKE_MODEL);
  });
});

describe("slash commands", () => {
  test("/retry says the last turn again, /new forgets, /system is for later turns, /exit leaves", async () => {
    await using chat = open(["one", "two", "three", "four"]);
    const roles = (): string[] => chat.conversation.messages.map(({ content }) => String(content));
    await chat.type(["/retry", "first", "/retry"]);
    expect(roles()).toEqual(["Be kind.", "first", "two"]);
    await chat.type(["/system Be brief.", "second"]);
    expect(roles()).toEqual(["Be brief.", "first", "two", "second", "three"]);
    await chat.type(["/new", "/system", "/exit", "never said"]);
    expect(roles()).toEqual([]);
    expect(await chat.type(["/retry"])).toBe(true);
    expect(chat.server.engine.runs.length).toBe(3);
  });

  test("what is none: a path, a blank in front; a misspelt one is not said to the model", async () => {
    await using chat = open(["yes"]);
    expect(await chat.type(["/etc/hosts is a file", " /new", "", "/nwe"])).toBe(false);
    expect(chat.conversation.messages.filter(({ role }) => role === "user")).toEqual([
      { role: "user", content: "/etc/hosts is a file" },
      { role: "user", content: " /new" },
    ]);
    expect(chat.shown.at(-1)).toBe("There is no /nwe; /help tells what there is.");
  });
});
