/**
 * What real clients met elsewhere, by the numbers of the study of clients; those that `warmturn` figures show, and
 * those of templates: everything is real here but the machine.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { echoClient } from "../support/clients/echo.ts";
import { openProtocol, type ProtocolName } from "../support/clients/protocols.ts";
import type { WireMessage, WireTool } from "../support/clients/wire.ts";
import { type Asked, ask } from "../support/exactness/ask.ts";
import { inProcess, json, postChat } from "../support/httpClient.ts";
import { type LoopServer, type LoopServerOptions, loopServer } from "../support/LoopServer.ts";

const TOOLS: readonly WireTool[] = ["read_file", "run"].map((name) => ({
  type: "function",
  function: {
    name,
    description: `${name} of the project, with all that it needs`,
    parameters: { type: "object", properties: { path: { type: "string" }, limit: { type: "integer" } } },
  },
}));
const THOUGHT =
  "<think>\nLet me see what there is, and think about it for a while before I say it.\n</think>\n\n";
const CALL = '<tool_call>\n{"name": "run", "arguments": {"limit": 3, "path": "a"}}\n</tool_call>';

const system = (content: string): WireMessage => ({ role: "system", content });
const user = (content: string): WireMessage => ({ role: "user", content });
const AGENT = system("You are a careful agent. Read before you write, and say what you did. ".repeat(4));
const TASK = user("Please find out why the parser's test fails on Windows. ".repeat(4));

interface Opened {
  readonly server: LoopServer;
  /** The next request of one conversation; nothing is warmed any more when it has been answered. */
  readonly send: (messages: readonly WireMessage[], more?: object) => Promise<Asked>;
}

function open(
  memory: MemoryKind,
  more: Partial<LoopServerOptions> = {},
  name: ProtocolName = "chat",
): Opened {
  const server = loopServer({ memory, reply: () => `${THOUGHT}It is done.`, ...more });
  const protocol = openProtocol(name);
  let turn = 0;
  return {
    server,
    send: async (messages, fields = {}) => {
      turn += 1;
      const request = { messages, tools: TOOLS };
      const sent = { request, turn, maxTokens: 300, more: { ...fields } };
      const asked = await ask(inProcess(server.app), { key: "none", protocol, delivery: "whole" }, sent);
      await server.idle();
      return asked;
    },
  };
}

/** The last cut (on a window, trip) in front of where `text` first stands in the newest prompt. */
function placeBefore({ server }: Opened, text: string): number {
  const tokens = server.requests.at(-1)?.plan.tokens ?? new Int32Array();
  const prompt = server.vocab.text(tokens);
  return server.place(tokens, server.vocab.tokenise(prompt.slice(0, prompt.indexOf(text)), true).length);
}

test("1: a billing line that changes costs nothing: all behind it is resumed", async () => {
  const opened = open("dense", {}, "messages");
  const first = await opened.send([AGENT, TASK]);
  const echo = echoClient("Claude Code").echo(first.reply, TOOLS);
  // The adapter's line is another, and longer, with each turn.
  const second = await opened.send([AGENT, TASK, echo, user("And the lexer?")]);
  expect(second.resumed).toBe(placeBefore(opened, "And the lexer?"));
});

test("3: token counts behind each tool result: the prompt only grows, and each turn is warm", async () => {
  const opened = open("hybrid", { reply: () => `${THOUGHT}On it.\n${CALL}` }, "messages");
  const messages: WireMessage[] = [AGENT, TASK];
  const client = echoClient("Claude Code");
  let { reply } = await opened.send(messages);
  for (let turn = 1; turn <= 3; turn += 1) {
    const [call] = reply.tool_calls ?? [];
    if (call === undefined) throw new Error("no call");
    const result = client.result(call, `what came of run ${turn}`);
    messages.push(
      client.echo(reply, TOOLS),
      result,
      system(`<total_tokens>${9000 - turn} left</total_tokens>`),
    );
    const next = await opened.send(messages);
    expect(next.resumed).toBe(placeBefore(opened, `what came of run ${turn}`));
    ({ reply } = next);
  }
});

describe("16: a template without a system role", () => {
  const gemma = readFileSync(
    new URL("../support/tinyModels/templates/gemma3.jinja", import.meta.url),
    "utf8",
  );
  const roles = {
    source: `{%- for message in messages %}
{%- if message.role == 'system' %}{{ raise_exception('System role not supported') }}{%- endif %}
{{- '<start_of_turn>' + message.role + '\\n' + message.content | trim + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<start_of_turn>assistant\\n' }}{%- endif %}`,
    opener: "<start_of_turn>",
  };
  const first = { source: gemma, opener: "<start_of_turn>" };
  const messages = [
    system("Be brief."),
    user("a"),
    { role: "assistant", content: "b" },
    system("Be kind."),
    user("c"),
  ];
  for (const [what, template] of Object.entries({ "that refuses it": roles, "but at the start": first })) {
    test(`16: ${what}: all that was said is in the prompt, in order`, async () => {
      const server = loopServer({ memory: "dense", reply: () => "hello", template });
      const answer = await postChat(inProcess(server.app), { messages });
      expect([answer.status, (await json(answer)).choices[0].message.content]).toEqual([200, "hello"]);
      const prompt = server.vocab.text(server.requests[0]?.plan.tokens ?? []);
      const places = ["Be brief.", "a", "b", "Be kind.", "c"].map((text) => prompt.indexOf(text));
      expect(places).not.toContain(-1);
      expect(prompt.indexOf("Be kind.")).toBeGreaterThan(prompt.indexOf("Be brief."));
    });
  }
});

test("23: chat_template_kwargs that stay cost nothing; one that changes the prompt is no false hit", async () => {
  const opened = open("dense");
  const kwargs = { chat_template_kwargs: { enable_thinking: true, anything: 1 } };
  const first = await opened.send([AGENT, TASK], kwargs);
  const echo = echoClient("opencode").echo(first.reply, TOOLS);
  const next = [AGENT, TASK, echo, user("And the lexer?")];
  expect((await opened.send(next, kwargs)).resumed).toBe(placeBefore(opened, "And the lexer?"));
  // The prompt now ends with a closed thought: what is resumed is what both have in common.
  const other = await opened.send(next, { chat_template_kwargs: { enable_thinking: false } });
  const [before, after] = opened.server.requests.slice(-2).map(({ plan }) => [...plan.tokens]);
  const same = before?.findIndex((token, index) => token !== after?.[index]) ?? 0;
  expect(other.resumed).toBeLessThanOrEqual(same === -1 ? (before?.length ?? 0) : same);
  const alone = await open("dense").send(next, { chat_template_kwargs: { enable_thinking: false } });
  expect([other.promptTokens, other.reply]).toEqual([alone.promptTokens, alone.reply]);
});

for (const memory of ["hybrid", "recurrent"] as const) {
  test(`27: dropped reasoning on a ${memory} model: the next turn resumes behind the reply, not at 0`, async () => {
    const opened = open(memory);
    const messages: WireMessage[] = [AGENT, TASK];
    const client = echoClient("Continue");
    for (let turn = 1; turn <= 3; turn += 1) {
      const { reply, resumed, miss } = await opened.send(messages);
      if (turn > 1) expect([resumed, miss]).toEqual([placeBefore(opened, `Question ${turn}`), "none"]);
      messages.push(client.echo(reply, TOOLS), user(`Question ${turn + 1}: what else?`));
    }
  });

  test(`29: a fresh chat on a ${memory} model resumes at the end of system and tools`, async () => {
    const opened = open(memory);
    await opened.send([AGENT, TASK]);
    const fresh = await opened.send([AGENT, user("Something else altogether: what is the time in Lima?")]);
    expect(fresh.resumed).toBe(placeBefore(opened, "Something else"));
  });
}

test("30: a sliding window in an agent's loop: every turn resumes at its last trip or later", async () => {
  const opened = open("window", { reply: () => `${THOUGHT}On it.\n${CALL}` });
  const messages: WireMessage[] = [AGENT, TASK];
  const client = echoClient("opencode");
  for (let turn = 1; turn <= 5; turn += 1) {
    const { reply, resumed } = await opened.send(messages);
    if (turn > 1) expect(resumed).toBeGreaterThanOrEqual(placeBefore(opened, `result ${turn - 1}`));
    const [call] = reply.tool_calls ?? [];
    if (call === undefined) throw new Error("no call");
    messages.push(client.echo(reply, TOOLS), client.result(call, `result ${turn} of the run`));
  }
});

test("32: a timestamp in the system prompt: what stands before it is resumed, and where it parts is told", async () => {
  const opened = open("dense");
  const stamped = (time: string) =>
    system(`${AGENT.content}\nIt is ${time}.\n${"Mind the rules. ".repeat(20)}`);
  await opened.send([stamped("10:15:01"), TASK]);
  const { resumed, miss } = await opened.send([stamped("10:16:59"), TASK]);
  expect([resumed, miss]).toEqual([placeBefore(opened, "6:59"), "tokens-differ"]);
});
