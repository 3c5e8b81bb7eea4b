/**
 * Plays a talk between a client and the server's text side, without an engine: requests go the way of requests
 * (JSON text, canonical form, Prompter, requestChunks), replies the way of the warm pass.
 */
import { expect } from "bun:test";
import { canonicalMessages, canonicalTools } from "../../../src/chat/canonical.ts";
import type { PromptInput } from "../../../src/chat/Message.ts";
import { type ReplyParts, replyMessage } from "../../../src/chat/replyMessage.ts";
import { parseJson } from "../../../src/json/parseJson.ts";
import type { ChunkRules, Plan } from "../../../src/plan/Plan.ts";
import { requestChunks } from "../../../src/plan/requestChunks.ts";
import { Prompter } from "../../../src/prompt/Prompter.ts";
import type { TextVocab } from "../../../src/run/TextVocab.ts";
import { planJob } from "../../../src/warm/planJob.ts";
import type { Habits, WarmJob, WarmRun } from "../../../src/warm/WarmJob.ts";
import { schemaOrder, type Talk, toolsJson } from "./conversationArb.ts";
import type { TestClient } from "./echoes.ts";

export const seed = 42n;
export const unknown: Habits = { reasoning: "unknown", numbers: "unknown" };

export interface Served {
  readonly prompter: Prompter;
  readonly rules: ChunkRules;
}

export function serve(source: string, vocab: TextVocab): Served {
  const prompter = new Prompter({ template: source, vocab, today: () => new Date(0) });
  const { openers, userOpeners, otherOpeners, tailOpeners } = prompter;
  const rules = {
    openers,
    userOpeners,
    otherOpeners,
    tailOpeners,
    chunkTokensMin: 6,
    chunkTokensMax: 40,
    tripTokensMin: 25,
  };
  return { prompter, rules };
}

export function jobOf(prompt: PromptInput, reply: ReplyParts, habits: Habits): WarmJob {
  const conversation = { id: "c", turn: 1 };
  return { conversation, tenant: "", seed, prompt, reply: replyMessage(reply), habits };
}

/** `choices[0].message` as the server writes it: arguments are the model's own text. */
function wireOf(parts: ReplyParts): string {
  const message = replyMessage(parts);
  return JSON.stringify({
    role: "assistant",
    content: message.content === "" && parts.calls.length > 0 ? null : message.content,
    ...(message.reasoning === "" ? {} : { reasoning_content: message.reasoning }),
    ...(parts.calls.length === 0
      ? {}
      : {
          tool_calls: parts.calls.map((call) => ({
            id: call.id,
            type: "function",
            function: { name: call.name, arguments: call.arguments },
          })),
        }),
  });
}

function texted(client: TestClient, role: object, content: string): string {
  return JSON.stringify({
    ...role,
    content: client.texts === "blocks" ? [{ type: "text", text: content }] : content,
  });
}

/** What follows a reply: results in the order of the calls, or a user message. */
function nextMessages(client: TestClient, parts: ReplyParts, texts: readonly string[]): string[] {
  if (parts.calls.length === 0) return [texted(client, { role: "user" }, texts[0] ?? "")];
  return parts.calls.map((call, i) =>
    texted(client, { role: "tool", tool_call_id: call.id }, texts[i] ?? ""),
  );
}

export function read(messages: readonly string[], withTools: boolean): PromptInput {
  const tools = withTools ? canonicalTools(parseJson(toolsJson)) : [];
  return { messages: canonicalMessages(parseJson(`[${messages.join()}]`), tools), tools, kwargs: new Map() };
}

/** Undefined where the template refuses the request. */
function request(served: Served, prompt: PromptInput): Plan | undefined {
  try {
    const { tokens } = served.prompter.tokens(prompt, { addGenerationPrompt: true });
    return requestChunks(tokens, served.rules, seed);
  } catch {
    return undefined;
  }
}

/** Texts that the next message might have had instead; what differs between any two is not to be known. */
const otherTexts = ["Zürich", "\n\n- or this", " 9 lives", '"so"', "{}"];

/** The last cut of `next` within what all next messages have in common; 0 where there is none. */
function knowableCut(served: Served, next: Plan, others: readonly PromptInput[]): number {
  let common = next.tokens.length;
  for (const other of others) {
    const tokens = request(served, other)?.tokens ?? next.tokens;
    let same = 0;
    while (same < common && tokens[same] === next.tokens[same]) same += 1;
    common = same;
  }
  // One token is always left behind a plan's last cut.
  return next.cuts.filter((cut) => cut < common).at(-1) ?? 0;
}

/** Tokens of `next` that a warmed run leaves to resume; 0 where it is none of its prefixes. */
function resumable(run: WarmRun, next: Plan): number {
  const last = run.plan.cuts.at(-1) ?? 0;
  const below = (cuts: Int32Array): string => cuts.filter((cut) => cut <= last).join();
  if (run.plan.tokens.slice(0, last).join() !== next.tokens.slice(0, last).join()) return 0;
  // A message start is a cut because of the token behind it, which may be where the two part.
  if (!next.cuts.includes(last)) return 0;
  expect(below(next.cuts)).toBe(run.plan.cuts.join());
  expect(below(next.trips)).toBe(run.plan.trips.join());
  expect(next.keys.slice(0, run.plan.keys.length).join()).toBe(run.plan.keys.join());
  return last;
}

export interface Outcome {
  readonly resumed: number;
  readonly knowable: number;
  /** Of the likeliest variant alone. */
  readonly first: number;
  /** Length of the prompt that was replied to. */
  readonly before: number;
}

/** Plays a talk; one outcome for each round whose next request the template takes. */
export function play(served: Served, client: TestClient, talk: Talk, habits: Habits): Outcome[] {
  const outcomes: Outcome[] = [];
  let messages = [
    ...(talk.system === null ? [] : [texted(client, { role: "system" }, talk.system)]),
    texted(client, { role: "user" }, talk.first),
  ];
  for (const { reply, next } of talk.rounds) {
    const prompt = read(messages, talk.withTools);
    const now = request(served, prompt);
    if (now === undefined) return outcomes;
    const { runs } = planJob(jobOf(prompt, reply, habits), served.prompter, served.rules);
    const history = [...messages, client.echo(wireOf(reply), talk.withTools ? schemaOrder : {})];
    const after = nextMessages(client, reply, next);
    const plan = request(served, read([...history, ...after], talk.withTools));
    if (plan === undefined) return outcomes;
    const others = otherTexts.map((text) =>
      read([...history, ...nextMessages(client, reply, [text, ...next.slice(1)])], talk.withTools),
    );
    const each = runs.map((run) => resumable(run, plan));
    outcomes.push({
      resumed: Math.max(0, ...each),
      knowable: knowableCut(served, plan, others),
      first: each[0] ?? 0,
      before: now.tokens.length,
    });
    messages = [...history, ...after];
  }
  return outcomes;
}
