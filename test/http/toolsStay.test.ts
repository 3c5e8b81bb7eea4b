/**
 * C1: what may be called changes no token of the prompt. A turn that forbids calls, or all but some, resumes what the
 * turns before it left, and so does the turn behind it; in each protocol, on each kind of memory.
 */
import { describe, expect, test } from "bun:test";
import { echoClient } from "../support/clients/echo.ts";
import { openProtocol, type ProtocolName } from "../support/clients/protocols.ts";
import type { WireMessage, WireTool } from "../support/clients/wire.ts";
import { ask } from "../support/exactness/ask.ts";
import { inProcess } from "../support/httpClient.ts";
import { loopServer } from "../support/LoopServer.ts";

const TOOLS: readonly WireTool[] = ["read_file", "run", "search"].map((name) => ({
  type: "function",
  function: {
    name,
    description: `${name} of the project, with all that it needs to be told before it is called`,
    parameters: { type: "object", properties: { path: { type: "string" }, limit: { type: "integer" } } },
  },
}));
const CALL = '<tool_call>\n{"name": "run", "arguments": {"path": "a"}}\n</tool_call>';
const say = (role: "system" | "user", content: string): WireMessage => ({ role, content });
const OPENING = [
  say("system", "You are a careful agent. Read before you write, and say what you did. ".repeat(4)),
  say("user", "Please find out why the parser's test fails on Windows. ".repeat(4)),
];

const flat = { type: "function", name: "search" };
const wrapped = { type: "function", function: { name: "search" } };
const CHOICES: readonly (readonly [ProtocolName, string, unknown])[] = [
  ["chat", "none", "none"],
  ["chat", "allowed tools", { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [wrapped] } }],
  [
    "chat",
    "one of allowed tools",
    { type: "allowed_tools", allowed_tools: { mode: "required", tools: [flat] } },
  ],
  ["chat", "a named tool", wrapped],
  ["messages", "none", { type: "none" }],
  ["messages", "a named tool", { type: "tool", name: "search" }],
  ["responses", "none", "none"],
  ["responses", "allowed tools", { type: "allowed_tools", mode: "auto", tools: [flat] }],
  ["responses", "one of allowed tools", { type: "allowed_tools", mode: "required", tools: [flat] }],
];

/** Prompt, resumed and prefilled tokens of three turns; the second one's `tool_choice` is the test's. */
async function talk(name: ProtocolName, memory: "dense" | "hybrid" | "window", choice: unknown) {
  const server = loopServer({ memory, reply: (prompt) => (/result/.test(prompt) ? "It is done." : CALL) });
  const protocol = openProtocol(name);
  const client = echoClient("opencode");
  const messages = [...OPENING];
  const turns: { readonly promptTokens: number; readonly resumed: number }[] = [];
  for (const turn of [1, 2, 3]) {
    const more = turn === 2 && choice !== undefined ? { tool_choice: choice } : {};
    const sent = { request: { messages, tools: TOOLS }, turn, maxTokens: 200, more };
    const to = inProcess(server.app);
    const { reply, promptTokens, resumed } = await ask(
      to,
      { key: "none", protocol, delivery: "whole" },
      sent,
    );
    await server.idle();
    turns.push({ promptTokens, resumed });
    messages.push(client.echo(reply, TOOLS));
    for (const call of reply.tool_calls ?? []) messages.push(client.result(call, `result of turn ${turn}`));
    if (reply.tool_calls === undefined) messages.push(say("user", `And of turn ${turn}?`));
  }
  return { turns, prompts: server.requests.map(({ plan }) => [...plan.tokens]) };
}

describe.each(["dense", "hybrid", "window"] as const)("on %s memory", (memory) => {
  test.each(CHOICES)("%s, %s", async (protocol, _, choice) => {
    const { turns, prompts } = await talk(protocol, memory, choice);
    const free = await talk(protocol, memory, undefined);
    expect(turns).toEqual(free.turns);
    expect(prompts).toEqual(free.prompts);
    expect(turns[1]?.resumed).toBeGreaterThan((turns[0]?.promptTokens ?? Number.NaN) / 2);
  });
});
