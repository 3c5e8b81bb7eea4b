/** Plays one conversation against a server, live: what the model says goes into the next request, right or wrong. */
import { type ChatMessage, chat } from "../../bench/chat.ts";
import type { Call, Case, CaseTurn, Round } from "./cases.ts";
import type { Tally } from "./Tally.ts";

const REPLY_TOKENS_MAX = 600;
const TALK = new Set(["talk", "outside"]);

export interface Player {
  readonly url: string;
  /** Whether this client sends reasoning back. */
  readonly keepReasoning: boolean;
  readonly tally: Tally;
}

export async function play(player: Player, test: Case): Promise<void> {
  const messages: ChatMessage[] = test.system === null ? [] : [{ role: "system", content: test.system }];
  const tools = test.tools.map(([name, args]) => toolOf(name, args));
  const ask = async (): Promise<Reply> => {
    const body = {
      messages,
      temperature: 0,
      max_tokens: REPLY_TOKENS_MAX,
      ...(tools.length === 0 ? {} : { tools }),
    };
    const { message } = await chat(player.url, body);
    const { reasoning_content: _, ...bare } = message;
    return player.keepReasoning ? message : bare;
  };
  for (const turn of test.turns) {
    messages.push({ role: "user", content: turn.user });
    await playTurn(player.tally, turn, messages, ask);
  }
}

type Reply = Extract<ChatMessage, { role: "assistant" }>;

async function playTurn(
  tally: Tally,
  turn: CaseTurn,
  messages: ChatMessage[],
  ask: () => Promise<Reply>,
): Promise<void> {
  let allRight = true;
  for (const round of turn.steps) {
    const reply = await ask();
    const made = (reply.tool_calls ?? []).map((call) => call.function);
    const right = round.calls.map((call, i) => isCall(call, made[i]));
    const exact = made.length === round.calls.length && right.every(Boolean);
    for (const one of right) tally.add(turn.kind === "hand" ? "hand" : "calls", one);
    if (!exact) tally.note(`${turn.user}\n   want ${JSON.stringify(round.calls)}\n   got  ${told(reply)}`);
    allRight &&= exact;
    if (round.results.length === 0) return;
    pushRound(messages, reply, round);
  }
  const last = await ask();
  messages.push(last);
  const text = last.content ?? "";
  const silent = (last.tool_calls ?? []).length === 0;
  if (turn.steps.length > 1) tally.add("chains", allRight);
  if (turn.steps.length > 0) {
    const full = silent && turn.values.every((value) => text.includes(value));
    tally.add("finals", full);
    if (!full) tally.note(`${turn.user}\n   want ${turn.values.join(" | ")}\n   got  ${told(last)}`);
    return;
  }
  const good = silent && (TALK.has(turn.kind) || text.includes("can't"));
  tally.add(TALK.has(turn.kind) ? "talk" : "refusals", good);
  tally.add("same words", text.trim() === turn.reply.trim());
  if (!good) tally.note(`${turn.user}\n   want ${turn.reply}\n   got  ${told(last)}`);
}

/** The model's own calls with the right results; where their number is wrong, the right calls stand in. */
function pushRound(messages: ChatMessage[], reply: Reply, round: Round): void {
  const own = reply.tool_calls ?? [];
  const calls =
    own.length === round.results.length
      ? own
      : round.calls.map(([name, args], i) => ({
          id: `call_${messages.length}_${i}`,
          type: "function" as const,
          function: { name, arguments: JSON.stringify(args) },
        }));
  messages.push({ ...reply, tool_calls: calls });
  round.results.forEach((content, i) => {
    messages.push({ role: "tool", tool_call_id: calls[i]?.id ?? "", content });
  });
}

function isCall([name, args]: Call, made: { name: string; arguments: string } | undefined): boolean {
  if (made?.name !== name) return false;
  try {
    return Bun.deepEquals(JSON.parse(made.arguments), args, true);
  } catch {
    return false;
  }
}

function told(reply: Reply): string {
  const calls = (reply.tool_calls ?? []).map((call) => `${call.function.name}${call.function.arguments}`);
  return [...calls, reply.content ?? ""].join(" ").trim();
}

function toolOf(name: string, args: readonly string[]): object {
  const properties = Object.fromEntries(args.map((arg) => [arg, {}]));
  return { type: "function", function: { name, parameters: { type: "object", properties } } };
}
