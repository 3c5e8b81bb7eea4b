/**
 * Side requests between two turns of a conversation (titles, summaries, topics, subagents, counted tokens), under
 * the same key and session: on every memory kind, by every protocol, and with room for little more than the
 * conversation itself, its next turn resumes where it would have without them.
 */
import { describe, expect, test } from "bun:test";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { echoClient } from "../support/clients/echo.ts";
import type { Sent } from "../support/clients/Protocol.ts";
import { openProtocol } from "../support/clients/protocols.ts";
import type { WireMessage, WireRequest, WireTool } from "../support/clients/wire.ts";
import { type Asked, ask } from "../support/exactness/ask.ts";
import { type HttpTarget, inProcess, json, postChat } from "../support/httpClient.ts";
import { type LoopServer, loopServer } from "../support/LoopServer.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
/** Who speaks each protocol, as far as echoes go. */
const CLIENTS = { chat: "opencode", messages: "Claude Code", responses: "Codex" } as const;
type Spoken = keyof typeof CLIENTS;
const PROTOCOLS = Object.keys(CLIENTS) as Spoken[];

/** Eight of the fake's partial saves: the conversation's own need five or six. No full save fits. */
const STATE_RAM_BYTES = 8 * 256;
const ROUNDS = 1;
const HEADERS = { "x-session-id": "one", "user-agent": "agent/1.0" };

const TOOLS: readonly WireTool[] = ["read_file", "run", "start_agent"].map((name) => ({
  type: "function",
  function: {
    name,
    description: `${name} of the project, with all that it needs`,
    parameters: { type: "object", properties: { path: { type: "string" }, limit: { type: "integer" } } },
  },
}));

const system = (content: string): WireMessage => ({ role: "system", content });
const user = (content: string): WireMessage => ({ role: "user", content });

const MAIN = system("You are a careful agent. Read before you write, and say what you did. ".repeat(6));
const TASK = user("Please find out why the parser's test fails on Windows, and mend it. ".repeat(5));
const CALL =
  '<tool_call>\n{"name": "read_file", "arguments": {"limit": 10, "path": "src/parser.ts"}}\n</tool_call>';

/** Where there are tools, two calls one after the other, then a text; else a text. */
function reply(prompt: string): string {
  const thought = "<think>\nLet me see what is there, and then say it.\n</think>\n\n";
  const results = (prompt.split("<|im_start|>user\n").at(-1) ?? "").includes("The second look");
  if (prompt.includes("read_file of the project") && !results) return `${thought}I look into it.\n${CALL}`;
  return `${thought}It is done, and here is what I found in the files of the project.`;
}

const RESULTS = ["The first look", "The second look"];

/** One client under one key: its conversations, and whatever it asks beside them. */
class Session {
  readonly server: LoopServer;
  readonly #target: HttpTarget;
  readonly #name: Spoken;

  constructor(memory: MemoryKind, name: Spoken) {
    this.server = loopServer({ memory, reply, lanes: 1, spares: 1, stateRamBytes: STATE_RAM_BYTES });
    this.#target = inProcess(this.server.app);
    this.#name = name;
  }

  /** A conversation; each `send` is its next turn. */
  talk(first: WireRequest) {
    const protocol = openProtocol(this.#name);
    const client = echoClient(CLIENTS[this.#name]);
    const messages = [...first.messages];
    let turn = 0;
    let results = 0;
    const send = async (): Promise<Asked> => {
      turn += 1;
      const sent: Sent = { request: { ...first, messages }, turn, maxTokens: 500 };
      const asking = { key: "key", protocol, delivery: "streamed", headers: HEADERS } as const;
      const asked = await ask(this.#target, asking, sent);
      await this.server.idle();
      messages.push(client.echo(asked.reply, TOOLS));
      for (const call of asked.reply.tool_calls ?? []) {
        messages.push(client.result(call, RESULTS[results % 2] ?? ""));
        results += 1;
      }
      return asked;
    };
    return { send, say: (text: string) => void messages.push(user(text)) };
  }

  async once(...messages: readonly WireMessage[]): Promise<void> {
    await this.talk({ messages }).send();
  }

  async count(): Promise<void> {
    const body = { model: "local", system: MAIN.content, messages: [user("How many are these?")] };
    const answer = await postChat(this.#target, body, { path: "/v1/messages/count_tokens" });
    expect((await json(answer)).input_tokens).toBeGreaterThan(0);
  }
}

type Side = (session: Session, round: number) => Promise<void>;

const ASKED_ONCE: Readonly<Record<string, Side>> = {
  "titles with the same system prompt": (session, round) =>
    session.once(MAIN, user(`Write a title of five words for this, the ${round}th time: ${TASK.content}`)),
  "titles with a system prompt of their own": (session, round) =>
    session.once(system("Write a title of five words. ".repeat(8)), user(`No. ${round}: ${TASK.content}`)),
  "summaries of what was said": (session, round) =>
    session.once(user(`Sum up, for the ${round}th time: ${TASK.content} ${"and so on, ".repeat(40)}`)),
  topics: (session, round) => session.once(user(`Is this a new topic? ${round}. ${TASK.content}`)),
  "counted tokens": (session) => session.count(),
};

const subagent: Side = async (session, round) => {
  const own = system(`You are a helper, number ${round}. Only look, and report. `.repeat(8));
  const talk = session.talk({ messages: [own, TASK], tools: TOOLS.slice(0, 2) });
  for (let turn = 0; turn < 3; turn += 1) await talk.send();
};

/** An agent's turns with `sides` in front of each but the first: after a call, after two, and after its answer. */
async function agent(memory: MemoryKind, name: Spoken, sides: readonly Side[]) {
  const session = new Session(memory, name);
  const main = session.talk({ messages: [MAIN, TASK], tools: TOOLS });
  const warmth = [warmthOf(await main.send())];
  for (const say of ["", "", "And now the same for the lexer, and for the printer."]) {
    if (say !== "") main.say(say);
    for (let round = 1; round <= ROUNDS; round += 1) for (const side of sides) await side(session, round);
    warmth.push(warmthOf(await main.send()));
  }
  return warmth;
}

/** A chat's first two turns: nothing shows yet that it will go on. */
async function chat(memory: MemoryKind, name: Spoken, sides: readonly Side[]) {
  const session = new Session(memory, name);
  const main = session.talk({
    messages: [MAIN, user(`${TASK.content} What do you think of it? `.repeat(2))],
  });
  const warmth = [warmthOf(await main.send())];
  for (const side of sides) await side(session, 1);
  main.say("And what else?");
  warmth.push(warmthOf(await main.send()));
  return warmth;
}

const warmthOf = ({ promptTokens, resumed, warmed, finish }: Asked) => ({
  promptTokens,
  resumed,
  warmed,
  finish,
});

for (const [place, memory] of KINDS.entries()) {
  describe(memory, () => {
    // All protocols come to the same prompts, which the exactness matrix shows: one for each kind is enough here.
    const name = PROTOCOLS[place % PROTOCOLS.length] ?? "chat";

    test(`an agent's turns, ${name}`, async () => {
      const alone = await agent(memory, name, []);
      expect(alone.map(({ finish }) => finish)).toEqual(["tool_calls", "tool_calls", "stop", "tool_calls"]);
      for (const { resumed } of alone.slice(1)) expect(resumed).toBeGreaterThan(alone[0]?.promptTokens ?? 0);
      expect(await agent(memory, name, [...Object.values(ASKED_ONCE), subagent])).toEqual(alone);
    });

    test("a chat that was asked once, too", async () => {
      const alone = await chat(memory, name, []);
      expect(alone[1]?.resumed).toBeGreaterThan(alone[0]?.promptTokens ?? 0);
      expect(await chat(memory, name, Object.values(ASKED_ONCE))).toEqual(alone);
    });
  });
}
