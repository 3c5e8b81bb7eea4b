/** Why a turn was not warm: what the client changed, by name and place; that it was not warmed yet; or nothing. */
import { describe, expect, test } from "bun:test";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { inProcess, json, postChat } from "../support/httpClient.ts";
import { type LoopServer, type LoopServerOptions, loopServer } from "../support/LoopServer.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const RULES = "Read before you write, and say what you did. ".repeat(8);
const TASK = "Please find out why the parser's test fails on Windows. ".repeat(3);
const ANSWER = "It is the line endings, as far as I can see, and nothing else. ".repeat(2).trim();

type Body = Readonly<Record<string, unknown>>;
const tool = (name: string): object => ({
  type: "function",
  function: { name, description: `${name} of the project`, parameters: { type: "object", properties: {} } },
});

const system = (content: string) => ({ role: "system", content });
const user = (content: string) => ({ role: "user", content });
const said = (content: string) => ({ role: "assistant", content });

const FIRST = { messages: [system(RULES), user(TASK)], tools: [tool("read"), tool("write")] };

function open(
  memory: MemoryKind,
  reply = `<think>\n\n</think>\n\n${ANSWER}`,
  more: Partial<LoopServerOptions> = {},
) {
  return loopServer({ memory, lanes: 1, spares: 1, reply: () => reply, ...more });
}

async function ask(server: LoopServer, body: Body) {
  const answer = await postChat(inProcess(server.app), { max_tokens: 400, ...body });
  const { choices, warmturn } = await json(answer);
  return { message: choices[0].message, warmturn };
}

/** What a second request is told, after `FIRST` and all that follows it is warmed. */
async function second(memory: MemoryKind, body: Body) {
  const server = open(memory);
  await ask(server, FIRST);
  await server.idle();
  return (await ask(server, body)).warmturn;
}

describe.each(KINDS)("%s", (memory) => {
  test.each(["Why?", "And now the lexer, and then the printer, please, each by itself. ".repeat(4)])(
    "nothing, where all that could be known was warmed: %s",
    async (next) => {
      const warmturn = await second(memory, {
        ...FIRST,
        messages: [...FIRST.messages, said(ANSWER), user(next)],
      });
      expect(warmturn).toMatchObject({ miss: "none", miss_at: -1 });
      expect(warmturn.changed).toBeUndefined();
    },
  );

  test("nothing, where a reply was too short for a cut of its own", async () => {
    const server = open(memory, "<think>\n\n</think>\n\nNo.");
    await ask(server, FIRST);
    await server.idle();
    const { warmturn } = await ask(server, {
      ...FIRST,
      messages: [...FIRST.messages, said("No."), user("Why?")],
    });
    expect(warmturn).toMatchObject({ miss: "none" });
  });

  const next = [said(ANSWER), user("Why?")];
  const changes: Readonly<Record<string, { readonly body: Body; readonly changed: object }>> = {
    "the system prompt": {
      body: { ...FIRST, messages: [system(`Today is Monday. ${RULES}`), user(TASK), ...next] },
      changed: { what: "system", message: 0 },
    },
    "the end of the system prompt": {
      body: { ...FIRST, messages: [system(`${RULES} It is 21 degrees.`), user(TASK), ...next] },
      changed: { what: "system", message: 0 },
    },
    "a tool": {
      body: { ...FIRST, messages: [...FIRST.messages, ...next], tools: [tool("read"), tool("wipe")] },
      changed: { what: "tools", names: ["write", "wipe"] },
    },
    "the order of tools": {
      body: { ...FIRST, messages: [...FIRST.messages, ...next], tools: [tool("write"), tool("read")] },
      changed: { what: "tools", names: ["read", "write"] },
    },
    "an earlier message": {
      body: { ...FIRST, messages: [system(RULES), user(`Hello. ${TASK}`), ...next] },
      changed: { what: "message", message: 1 },
    },
  };
  test.each(Object.entries(changes))("what has changed, by name: %s", async (_, { body, changed }) => {
    const warmturn = await second(memory, body);
    expect(warmturn).toMatchObject({ changed });
    expect(["tools", "system", "message"].some((word) => warmturn.why.toLowerCase().includes(word))).toBe(
      true,
    );
    expect(warmturn.miss).not.toBe("cold");
    expect(warmturn.miss_at).toBeGreaterThanOrEqual(0);
    const { before, now } = warmturn.changed;
    expect(before).not.toBe(now);
  });

  test("reasoning that was dropped in a tool loop", async () => {
    const thought = "I have to see what is in the file before I say anything of it. ".repeat(3);
    const call = `<think>\n${thought}\n</think>\n\n<tool_call>\n{"name": "read", "arguments": {}}\n</tool_call>`;
    // Room for the likeliest variant alone, which keeps it.
    const server = open(memory, call, { spares: 0, stateRamBytes: 8 * 256 });
    const { message } = await ask(server, FIRST);
    await server.idle();
    const { reasoning_content: _, ...dropped } = message;
    const result = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "Empty." };
    const { warmturn } = await ask(server, { ...FIRST, messages: [...FIRST.messages, dropped, result] });
    // A recurrent state at the reply's start is all there is to go back to, and both variants are snapshots.
    if (warmturn.miss === "none") expect(memory).toBe("recurrent");
    else expect(warmturn).toMatchObject({ changed: { what: "reasoning", message: 2 } });
    if (warmturn.miss !== "none") expect(warmturn.miss_at).toBeGreaterThan(0);
  });

  test("turns that follow each other at once were not warmed yet", async () => {
    const server = open(memory, `<think>\n\n</think>\n\n${ANSWER}`, { lanes: 2 });
    let messages: readonly object[] = FIRST.messages;
    const reasons: string[] = [];
    for (let turn = 1; turn <= 4; turn++) {
      const { message, warmturn } = await ask(server, { ...FIRST, messages });
      reasons.push(warmturn.miss);
      messages = [...messages, message, user(`Question ${turn}`)];
    }
    expect(reasons[0]).toBe("cold");
    for (const reason of reasons.slice(1)) expect(["not-warmed", "none"]).toContain(reason);
    expect(reasons).toContain("not-warmed");
  });
});

test("with --redact places are told and no text", async () => {
  const server = open("dense", ANSWER, { redact: true });
  await ask(server, FIRST);
  await server.idle();
  const { warmturn } = await ask(server, { ...FIRST, messages: [system(`Now. ${RULES}`), user(TASK)] });
  expect(warmturn.changed).toEqual({ what: "system", message: 0, at: expect.any(Number) });
});

test("an option of the template, and what the template writes otherwise by itself", async () => {
  const server = open("dense");
  const with_ = (value: boolean) => ({ ...FIRST, chat_template_kwargs: { enable_thinking: value } });
  await ask(server, with_(true));
  await server.idle();
  const { warmturn } = await ask(server, with_(false));
  // This template reads no such option: nothing was missed.
  expect(warmturn).toMatchObject({ miss: "none" });
});

test("without warming, what follows the last reply was not warmed", async () => {
  const server = open("dense");
  await ask(server, FIRST);
  const { warmturn } = await ask(server, {
    ...FIRST,
    messages: [...FIRST.messages, said(ANSWER), user("Why?")],
  });
  expect(["not-warmed", "none"]).toContain(warmturn.miss);
});

test("another client's prompts say nothing of what this one has changed; the last of its own do", async () => {
  const server = open("dense");
  const as = async (agent: string, body: Body) => {
    const answer = await postChat(
      inProcess(server.app),
      { max_tokens: 400, ...body },
      { headers: { "user-agent": agent } },
    );
    return (await json(answer)).warmturn;
  };
  await as("one/1", FIRST);
  await server.idle();
  const stranger = { messages: [system(`${RULES} But be quick about it.`), user("What is a monad?")] };
  expect((await as("two/1", stranger)).changed).toBeUndefined();
  await server.idle();
  expect((await as("one/1", { ...FIRST, tools: [tool("read")] })).changed).toMatchObject({ what: "tools" });
});
