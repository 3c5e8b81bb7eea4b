/**
 * I6: for each client habit one warmed variant is a prefix of the next request's tokens, with equal cuts and
 * trips below, up to the last cut that could be known. Requests go the way of requests (JSON text, canonical
 * form, Prompter, requestChunks); echoes are written from what clients do (`echoes.ts`).
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalMessages, canonicalTools } from "../../../src/chat/canonical.ts";
import type { PromptInput } from "../../../src/chat/messages.ts";
import { type ReplyParts, replyMessage } from "../../../src/chat/replyMessage.ts";
import { parseJson } from "../../../src/json/parseJson.ts";
import { Prompter } from "../../../src/prompt/Prompter.ts";
import type { ChunkRules, Plan } from "../../../src/prompt/plan.ts";
import { requestChunks } from "../../../src/prompt/requestChunks.ts";
import { planJob } from "../../../src/warm/planJob.ts";
import type { Habits, WarmRun } from "../../../src/warm/protocol.ts";
import { FakeVocab } from "../../support/FakeVocab.ts";
import { schemaOrder, type Talk, talkArb, toolsJson } from "./conversationArb.ts";
import { clients, type TestClient } from "./echoes.ts";
import { specialTokens, type TestTemplate, templates } from "./templates.ts";

const seed = 42n;
const unknown: Habits = { reasoning: "unknown", numbers: "unknown" };

interface Served {
  readonly prompter: Prompter;
  readonly rules: ChunkRules;
}

/** The request path and the warm path have a Prompter each. */
function serve(template: TestTemplate): Served {
  const vocab = new FakeVocab({
    ...specialTokens,
    bos: "<bos>",
    eos: "<eos>",
    words: ["<tool_response>", "lorem", " ipsum"],
  });
  const prompter = new Prompter({ template: template.source, vocab, today: () => new Date(0) });
  const { openers, userOpeners, otherOpeners } = prompter;
  const rules = {
    openers,
    userOpeners,
    otherOpeners,
    chunkTokensMin: 6,
    chunkTokensMax: 40,
    tripTokensMin: 25,
  };
  return { prompter, rules };
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

function read(messages: readonly string[], withTools: boolean): PromptInput {
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
  return next.cuts.filter((cut) => cut <= common).at(-1) ?? 0;
}

/** Tokens of `next` that a warmed run leaves to resume; 0 where it is none of its prefixes. */
function resumable(run: WarmRun, next: Plan): number {
  const last = run.plan.cuts.at(-1) ?? 0;
  const below = (cuts: Int32Array): string => cuts.filter((cut) => cut <= last).join();
  if (run.plan.tokens.slice(0, last).join() !== next.tokens.slice(0, last).join()) return 0;
  expect(below(next.cuts)).toBe(run.plan.cuts.join());
  expect(below(next.trips)).toBe(run.plan.trips.join());
  expect(next.keys.slice(0, run.plan.keys.length).join()).toBe(run.plan.keys.join());
  return last;
}

interface Outcome {
  readonly resumed: number;
  readonly knowable: number;
  /** Of the likeliest variant alone. */
  readonly first: number;
  /** Length of the prompt that was replied to. */
  readonly before: number;
}

/** Plays a talk; one outcome for each round whose next request the template takes. */
function play(served: Served, client: TestClient, talk: Talk, habits: Habits): Outcome[] {
  const outcomes: Outcome[] = [];
  let messages = [
    ...(talk.system === null ? [] : [texted(client, { role: "system" }, talk.system)]),
    texted(client, { role: "user" }, talk.first),
  ];
  for (const [turn, { reply, next }] of talk.rounds.entries()) {
    const prompt = read(messages, talk.withTools);
    const now = request(served, prompt);
    if (now === undefined) return outcomes;
    const { runs } = planJob(
      {
        conversation: { id: "c", turn: turn + 1 },
        tenant: "",
        seed,
        prompt,
        reply: replyMessage(reply),
        habits,
      },
      served.prompter,
      served.rules,
    );
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

describe("I6", () => {
  for (const template of templates) {
    const served = serve(template);
    for (const client of clients) {
      test(`${template.name}: ${client.name}`, () => {
        fc.assert(
          fc.property(talkArb(template.tools, template.callsMax), fc.boolean(), (talk, known) => {
            for (const outcome of play(served, client, talk, known ? client.habits : unknown)) {
              expect(outcome.resumed).toBeGreaterThanOrEqual(outcome.knowable);
              // A client whose habits are known finds the likeliest variant to be its own.
              if (known) expect(outcome.first).toBeGreaterThanOrEqual(outcome.knowable);
            }
          }),
          { numRuns: 25 },
        );
      });
    }
  }
});

/** The property would hold of a server that knows nothing; here the whole reply must have been warmed. */
describe("a long reply is warmed to its end", () => {
  const words = (what: string): string => `${what} ipsum`.repeat(12);
  const answered: Talk = {
    system: null,
    withTools: false,
    first: words("Why?"),
    rounds: [
      { reply: { reasoning: "", text: words("Because."), calls: [] }, next: [words("And then?")] },
      { reply: { reasoning: words("Hm."), text: words("Well."), calls: [] }, next: [words("Go on.")] },
    ],
  };
  const call = { id: "call_1", name: "run", arguments: '{"b":2.0,  "a":"ipsum ipsum ipsum ipsum ipsum"}' };
  const looped: Talk = {
    ...answered,
    withTools: true,
    rounds: [
      { reply: { reasoning: `${words("Hm.")}\n`, text: "\n\n", calls: [call] }, next: [words("Done.")] },
      { reply: { reasoning: words("So."), text: words("It is done."), calls: [] }, next: [words("Go on.")] },
    ],
  };

  for (const template of templates) {
    for (const client of clients) {
      test(`${template.name}: ${client.name}`, () => {
        const served = serve(template);
        for (const talk of template.tools ? [answered, looped] : [answered]) {
          const outcomes = play(served, client, talk, unknown);
          expect(outcomes.length).toBe(talk.rounds.length);
          for (const [round, { resumed, before }] of outcomes.entries()) {
            // Tools that move to the new user message take everything behind the old one with them.
            const moved = template.name === "tools move" && talk.withTools && round === 1;
            if (moved) expect(resumed).toBeGreaterThan(0);
            else expect(resumed).toBeGreaterThan(before);
          }
        }
      });
    }
  }
});

describe("what is not warmed", () => {
  const prompt = read([JSON.stringify({ role: "user", content: "Say something. ".repeat(9) })], false);
  const job = (parts: ReplyParts) => {
    const conversation = { id: "c", turn: 1 };
    return { conversation, tenant: "", seed, prompt, reply: replyMessage(parts), habits: unknown };
  };
  const call = (id: string) => ({ id, name: "run", arguments: "{}" });

  test("a template that refuses the probe is a note, not an error", () => {
    const [, , headers] = templates;
    if (headers === undefined) throw new Error("templates");
    const { prompter, rules } = serve(headers);
    const calls = [call("a"), call("b")];
    const { runs, notes } = planJob(job({ reasoning: "", text: "", calls }), prompter, rules);
    expect(runs).toEqual([]);
    expect(notes.join()).toContain("One call at a time.");
  });

  test("variants that a template makes equal are one run", () => {
    const counts = templates.map((template) => {
      const { prompter, rules } = serve(template);
      return planJob(job({ reasoning: "Hm. ".repeat(20), text: "Yes.", calls: [] }), prompter, rules).runs
        .length;
    });
    // Only the templates that print old reasoning tell kept from dropped.
    expect(counts).toEqual([2, 1, 1, 1, 2, 1]);
  });
});
