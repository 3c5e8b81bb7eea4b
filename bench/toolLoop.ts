/**
 * The served tool-loop cell: one conversation with tools, played against the server warm on and warm off, by a
 * client that keeps reasoning and by one that drops it. On and off must give the same tokens and logits.
 * Speed is a ratio within one run, never a number alone.
 */
import { type AssistantReply, type ChatMessage, type ChatResult, chat } from "./chat.ts";
import { NecessaryTokens } from "./NecessaryTokens.ts";
import { ServerProcess } from "./ServerProcess.ts";

export type Reasoning = "kept" | "dropped";

export interface TurnRow {
  readonly turn: number;
  readonly prompt: number;
  readonly resumed: number;
  readonly warmed: number;
  readonly prefilled: number;
  /** From the opener of the turn's first new message to the prompt's end; 0 in the first turn. */
  readonly necessary: number;
  /** How much more than that may be prefilled: a cut is at most so far before the new message. */
  readonly slack: number;
  readonly firstTokenMs: number;
  readonly bytesMoved: number;
  readonly tokensHash: string;
  readonly logitsHash: string;
  /** Why no more was resumed. */
  readonly miss: string;
}

export interface Cell {
  readonly server: string;
  readonly reasoning: Reasoning;
  readonly rows: readonly TurnRow[];
}

export interface ToolLoopOptions {
  readonly model: string;
  readonly flags: readonly string[];
  readonly binary: string | undefined;
  readonly peer: string | undefined;
  /** Replies bounded and shaped by a grammar, so that any model plays the loop to its end. */
  readonly forced: boolean;
  readonly userTurns: number;
}

const SYSTEM =
  "You are the assistant of a small workshop. Look things up before you answer, and answer in one or two sentences. " +
  "Never guess a number: read it from the list with the tool, then say it as it was given.";

const TOOLS = [
  tool("get_weather", "Weather of a place", ["city", "day"]),
  tool("search_notes", "Find notes by words in them", ["query"]),
];

const USER_TEXTS = [
  "What is the weather in Zagreb on Monday?",
  "And in Ljubljana on Friday? I need to know whether the paint will dry outside.",
  "Search my notes for anything about the paint order, please.",
  "Thanks. Now the weather in Maribor on Sunday.",
];

const RESULTS = [
  '{"temperature": 17.5, "sky": "clear", "wind_kmh": 12}',
  '{"temperature": 9, "sky": "light rain until noon, then dry", "wind_kmh": 31}',
  '{"notes": ["paint order 4417: two cans of grey, delivery on the 12th", "ask Ivana about the brushes"]}',
  '{"temperature": 21, "sky": "clouds", "wind_kmh": 4}',
];

/** Random models need a bound; the shapes are those that the reply parser knows. */
const FORCED = {
  call: 'root ::= "<think>\\n" [a-z ]{60,90} "\\n</think>\\n\\n<tool_call>\\n{\\"name\\": \\"get_weather\\", \\"arguments\\": {\\"city\\": \\"" [A-Z] [a-z]{4,9} "\\", \\"day\\": \\"" [a-z]{4,8} "\\"}}\\n</tool_call>"',
  answer: 'root ::= "<think>\\n" [a-z ]{40,80} "\\n</think>\\n\\n" [A-Z] [a-z ]{120,200} "."',
};

function tool(name: string, description: string, keys: readonly string[]): object {
  const properties = Object.fromEntries(keys.map((key) => [key, { type: "string" }]));
  return {
    type: "function",
    function: { name, description, parameters: { type: "object", properties, required: keys } },
  };
}

/** Plays the conversation once; `idle` is awaited between turns, so that warm work is done. */
export async function playToolLoop(
  url: string,
  reasoning: Reasoning,
  options: Pick<ToolLoopOptions, "forced" | "userTurns" | "model">,
  idle: () => Promise<void>,
): Promise<TurnRow[]> {
  const messages: ChatMessage[] = [{ role: "system", content: SYSTEM }];
  const rows: TurnRow[] = [];
  using necessary = new NecessaryTokens(options.model, TOOLS);
  let answered = 0;
  const ask = async (shape: keyof typeof FORCED): Promise<AssistantReply> => {
    const grammar = options.forced ? { grammar: FORCED[shape] } : {};
    const result = await chat(url, {
      model: "bench",
      messages,
      tools: TOOLS,
      temperature: 0,
      max_tokens: 400,
      ...grammar,
    });
    const fresh = answered === 0 ? 0 : necessary.of(messages, answered + 1);
    rows.push({ ...rowOf(rows.length + 1, result), necessary: fresh, slack: necessary.slackTokens });
    answered = messages.length;
    await idle();
    return result.message;
  };
  for (let user = 0; user < options.userTurns; user++) {
    messages.push({ role: "user", content: USER_TEXTS[user % USER_TEXTS.length] ?? "" });
    let reply = await ask("call");
    messages.push(echo(reply, reasoning));
    for (const [i, call] of (reply.tool_calls ?? []).entries())
      messages.push({
        role: "tool",
        tool_call_id: call.id,
        content: RESULTS[(user + i) % RESULTS.length] ?? "",
      });
    if (reply.tool_calls === undefined) continue;
    reply = await ask("answer");
    messages.push(echo(reply, reasoning));
    // A model that calls again is answered, so that the history stays valid.
    for (const call of reply.tool_calls ?? [])
      messages.push({ role: "tool", tool_call_id: call.id, content: '{"error": "no more calls"}' });
  }
  return rows;
}

/** What a client sends back: its own re-serialised arguments, with or without the reasoning. */
function echo(reply: AssistantReply, reasoning: Reasoning): AssistantReply {
  const calls = reply.tool_calls?.map((call) => ({
    ...call,
    function: { ...call.function, arguments: reserialise(call.function.arguments) },
  }));
  return {
    role: "assistant",
    content: reply.content,
    ...(reasoning === "kept" && reply.reasoning_content !== undefined
      ? { reasoning_content: reply.reasoning_content }
      : {}),
    ...(calls === undefined ? {} : { tool_calls: calls }),
  };
}

function reserialise(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function rowOf(turn: number, result: ChatResult): Omit<TurnRow, "necessary" | "slack"> {
  const number = (key: string): number => Number(result.warmturn[key] ?? 0);
  return {
    turn,
    prompt: result.promptTokens,
    resumed: result.warmturn["resumed"] === undefined ? result.cachedTokens : number("resumed"),
    warmed: number("warmed"),
    prefilled:
      result.warmturn["prefilled"] === undefined
        ? result.promptTokens - result.cachedTokens
        : number("prefilled"),
    firstTokenMs: result.firstTokenMs,
    bytesMoved: number("bytes_moved"),
    tokensHash: String(result.warmturn["tokens_hash"] ?? ""),
    logitsHash: String(result.warmturn["logits_hash"] ?? ""),
    miss: String(result.warmturn["miss"] ?? ""),
  };
}

/** Warm on, warm off and the peer, each with both clients. */
export async function runToolLoop(options: ToolLoopOptions): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const warm of ["on", "off"] as const) {
    for (const reasoning of ["kept", "dropped"] as const) {
      // A server each, so that one client's kept states help no other.
      await using server = await ServerProcess.start({
        flags: ["-m", options.model, "--warm", warm, "--debug-hashes", ...options.flags],
        ...(options.binary === undefined ? {} : { binary: options.binary }),
      });
      const rows = await playToolLoop(server.url, reasoning, options, () => server.warmIdle());
      cells.push({ server: `warm ${warm}`, reasoning, rows });
    }
  }
  if (options.peer !== undefined) {
    for (const reasoning of ["kept", "dropped"] as const) {
      const rows = await playToolLoop(options.peer, reasoning, options, async () => {});
      cells.push({ server: "peer", reasoning, rows });
    }
  }
  return cells;
}

/** Turns in which warm on and warm off gave other tokens or logits, one sentence each. */
export function disagreements(cells: readonly Cell[]): string[] {
  const found: string[] = [];
  for (const on of cells.filter((cell) => cell.server === "warm on")) {
    const off = cells.find((cell) => cell.server === "warm off" && cell.reasoning === on.reasoning);
    if (off === undefined || off.rows.length !== on.rows.length) {
      found.push(
        `reasoning ${on.reasoning}: ${on.rows.length} turns warm on, ${off?.rows.length ?? 0} warm off`,
      );
      continue;
    }
    for (const [i, row] of on.rows.entries()) {
      const other = off.rows[i];
      if (row.tokensHash === "" || row.logitsHash === "") found.push(`turn ${row.turn}: no hashes`);
      if (other?.tokensHash !== row.tokensHash || other.logitsHash !== row.logitsHash)
        found.push(
          `reasoning ${on.reasoning}, turn ${row.turn}: warm on and off give other tokens or logits`,
        );
    }
  }
  return found;
}

/** Turns from the second on that prefilled more than what was new and one chunk, warm on; one sentence each. */
export function wasted(cells: readonly Cell[]): string[] {
  return cells
    .filter((cell) => cell.server === "warm on")
    .flatMap((cell) =>
      cell.rows
        .slice(1)
        .filter((row) => row.prefilled > row.necessary + row.slack)
        .map(
          (row) =>
            `reasoning ${cell.reasoning}, turn ${row.turn}: ${row.prefilled} tokens prefilled; ${row.necessary} were new`,
        ),
    );
}
