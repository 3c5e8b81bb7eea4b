/**
 * Turns as clients send them, over the fake device: what was warmed serves the next one, whatever the client does to
 * its history. Figures are those that the replies tell.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { inProcess, json, postChat } from "../support/httpClient.ts";
import { type LoopServer, type LoopTemplate, loopServer } from "../support/LoopServer.ts";
import { CHUNK_MAX, TRIP_MIN } from "../support/makePlan.ts";

const KINDS: readonly MemoryKind[] = ["dense", "hybrid", "recurrent", "window"];
const SYSTEM = { role: "system", content: "You are a careful agent. Read before you write. ".repeat(8) };
const user = (content: string) => ({ role: "user", content });
const TASK = user("Please find out why the parser's test fails on Windows, and mend it. ".repeat(3));
/** Sends reasoning of past turns as well, where the client does. */
const KEEPS_REASONING: LoopTemplate = {
  source: readFileSync(
    new URL("../support/tinyModels/templates/qwen3.jinja", import.meta.url),
    "utf8",
  ).replace("message.reasoning_content and loop.index0 > place.last_user", "message.reasoning_content"),
  opener: "<|im_start|>",
};
const THOUGHT = "Let me see what is there, and then say what I have found in it. ".repeat(4).trim();

interface Body {
  readonly messages: readonly object[];
  readonly [field: string]: unknown;
}

async function ask(server: LoopServer, body: Body) {
  const answer = await postChat(inProcess(server.app), { max_tokens: 400, ...body });
  const { choices, warmturn } = await json(answer);
  return { message: choices[0].message, warmturn };
}

/** Most that is prefilled of a turn whose history was warmed: the new message, and what lies behind the last cut. */
function few(memory: MemoryKind, newTokens: number): number {
  return newTokens + CHUNK_MAX + (memory === "window" ? TRIP_MIN : 0);
}

describe.each(KINDS)("%s", (memory) => {
  const CUT_OFF: Readonly<Record<string, { readonly reply: string; readonly max: number }>> = {
    "in its reasoning": { reply: `<think>\n${THOUGHT}`, max: 150 },
    "in its text": { reply: `<think>\nHm.\n</think>\n\n${THOUGHT}`, max: 150 },
    "behind its reasoning": { reply: `<think>\n${THOUGHT}\n</think>\n\n`, max: THOUGHT.length + 12 },
  };
  test.each(Object.entries(CUT_OFF))("a reply that was cut off %s is warmed", async (_, { reply, max }) => {
    const server = loopServer({ memory, reply: () => reply, template: KEEPS_REASONING });
    const { message } = await ask(server, { messages: [SYSTEM, TASK], max_tokens: max });
    await server.idle();
    const { warmturn } = await ask(server, { messages: [SYSTEM, TASK, message, user("Go on.")] });
    expect(warmturn.warmed).toBeGreaterThan(50);
    expect(warmturn.prefilled).toBeLessThanOrEqual(few(memory, 40));
  });

  test("reasoning that is kept in a tool loop and dropped behind it is warmed so", async () => {
    let asked = 0;
    const call = '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>';
    const reply = () =>
      `<think>\n${THOUGHT}\n</think>\n\n${asked % 3 === 0 ? "It is done, so much is sure." : call}`;
    // Room for the likeliest variant alone: snapshots, no save of it all.
    const room = { lanes: 1, spares: 0, stateRamBytes: 8 * 256 };
    const server = loopServer({ memory, reply, template: KEEPS_REASONING, ...room });
    const tools = [
      {
        type: "function",
        function: { name: "read", parameters: { type: "object", properties: { path: { type: "string" } } } },
      },
    ];
    const history: { readonly role: string; readonly [field: string]: unknown }[] = [SYSTEM, TASK];
    for (let turn = 1; turn <= 7; turn++) {
      asked = turn;
      const { message, warmturn } = await ask(server, { messages: history, tools });
      await server.idle();
      // A turn that a user message begins is rewritten by this client, as nobody can foresee the first time.
      if (turn === 5 || turn === 6) expect(warmturn.prefilled).toBeLessThanOrEqual(few(memory, 80));
      history.push(message);
      const [called] = message.tool_calls ?? [];
      if (called === undefined) {
        // Behind the loop this client sends no reasoning of it.
        for (const [i, { reasoning_content: _, ...rest }] of history.entries()) history[i] = rest;
        history.push(user("And now the next file, please."));
      } else history.push({ role: "tool", tool_call_id: called.id, content: "The file is empty." });
    }
  });

  test("two forks of one talk at once are both warmed", async () => {
    const server = loopServer({
      memory,
      lanes: 2,
      spares: 1,
      reply: () => `<think>\n\n</think>\n\n${THOUGHT}`,
    });
    const { message } = await ask(server, { messages: [SYSTEM, TASK] });
    await server.idle();
    const history = [SYSTEM, TASK, message];
    const forks = ["Now the lexer, please, and then the printer.", "Tell me about its grammar instead."].map(
      (text) => [...history, user(text)],
    );
    const replies = await Promise.all(forks.map((messages) => ask(server, { messages })));
    await server.idle();
    for (const [i, messages] of forks.entries()) {
      const next = await ask(server, {
        messages: [...messages, replies[i]?.message ?? TASK, user("And then?")],
      });
      expect(next.warmturn.warmed).toBeGreaterThan(100);
      expect(next.warmturn.prefilled).toBeLessThanOrEqual(few(memory, 40));
    }
  });
});

describe.each(KINDS)("what is rewritten, %s", (memory) => {
  /** Prefilled tokens of each turn of a talk whose history the client makes anew each time. */
  async function talk(turns: number, historyAt: (turn: number) => readonly object[], of = memory) {
    const server = loopServer({
      memory: of,
      lanes: 1,
      spares: 1,
      reply: () => `<think>\n\n</think>\n\n${THOUGHT}`,
    });
    const prefilled: number[] = [];
    for (let turn = 1; turn <= turns; turn++) {
      const { warmturn } = await ask(server, { messages: historyAt(turn) });
      await server.idle();
      prefilled.push(warmturn.prefilled);
    }
    return prefilled;
  }
  const said = { role: "assistant", content: THOUGHT };

  test("old results masked anew each turn: the cost stays flat", async () => {
    const result = (turn: number, of: number): object =>
      user(
        of <= turn - 3
          ? `Result ${of}: removed.`
          : `Result ${of}: ${"all is well here and there. ".repeat(6)}`,
      );
    const historyAt = (turn: number): readonly object[] => [
      SYSTEM,
      TASK,
      ...Array.from({ length: turn }, (_, i) => [said, result(turn, i + 1)]).flat(),
    ];
    const prefilled = await talk(12, historyAt);
    // What a memory that can go back anywhere has to prefill: the results that are still shown.
    const least = await talk(12, historyAt, "dense");
    for (const [i, tokens] of prefilled.entries())
      if (i >= 6) expect(tokens).toBeLessThanOrEqual(few(memory, least[i] ?? 0));
    expect(prefilled[11]).toBeLessThanOrEqual((prefilled[6] ?? 0) + CHUNK_MAX);
  });

  test.each(["the date", "a git status", "a sensor's value"])(
    "%s in the system prompt, as it changes",
    async (what) => {
      const system = (turn: number): object => ({
        role: "system",
        content: `${SYSTEM.content} ${SYSTEM.content} And ${what} is ${turn * 7919}. ${"Keep to the rules. ".repeat(6)}`,
      });
      const historyAt = (turn: number): readonly object[] => [
        system(turn),
        TASK,
        ...Array.from({ length: turn - 1 }, (_, i) => [said, user(`Question ${i}?`)]).flat(),
      ];
      const prefilled = await talk(5, historyAt);
      const least = await talk(5, historyAt, "dense");
      // It was rewritten twice: from now on all in front of it is resumed.
      for (const [i, tokens] of prefilled.entries())
        if (i >= 3) expect(tokens).toBeLessThanOrEqual(few(memory, least[i] ?? 0));
    },
  );

  test("a list of tools that changes", async () => {
    const tool = (name: string): object => ({
      type: "function",
      function: { name, description: `${name}: ${THOUGHT}`, parameters: { type: "object", properties: {} } },
    });
    const turns = async (of: MemoryKind): Promise<number[]> => {
      const server = loopServer({ memory: of, lanes: 1, spares: 1, reply: () => THOUGHT });
      const prefilled: number[] = [];
      for (let turn = 1; turn <= 5; turn++) {
        const tools = [tool("read"), tool("write"), tool(`server_${turn}`)];
        const { warmturn } = await ask(server, { messages: [SYSTEM, TASK], tools });
        await server.idle();
        prefilled.push(warmturn.prefilled);
      }
      return prefilled;
    };
    const least = await turns("dense");
    for (const [i, tokens] of (await turns(memory)).entries())
      if (i >= 3) expect(tokens).toBeLessThanOrEqual(few(memory, least[i] ?? 0));
  });
});
