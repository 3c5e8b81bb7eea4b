/**
 * I6: for each client habit one warmed variant is a prefix of the next request's tokens, with equal cuts and
 * trips below, up to the last cut that could be known. Echoes are written from what clients do (`echoes.ts`).
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ReplyParts } from "../../../src/chat/replyMessage.ts";
import { planJob } from "../../../src/warm/planJob.ts";
import { FakeVocab } from "../../support/FakeVocab.ts";
import { type Talk, talkArb } from "./conversationArb.ts";
import { clients } from "./echoes.ts";
import { jobOf, play, read, type Served, serve, unknown } from "./playTalk.ts";
import { specialTokens, type TestTemplate, templates } from "./templates.ts";

const words = ["<tool_response>", "lorem", " ipsum"];

function served(template: TestTemplate): Served {
  return serve(template.source, new FakeVocab({ ...specialTokens, bos: "<bos>", eos: "<eos>", words }));
}

describe("I6", () => {
  for (const template of templates) {
    const server = served(template);
    for (const client of clients) {
      test(`${template.name}: ${client.name}`, () => {
        fc.assert(
          fc.property(talkArb(template.tools, template.callsMax), fc.boolean(), (talk, known) => {
            for (const outcome of play(server, client, talk, known ? client.habits : unknown)) {
              expect(outcome.resumed).toBeGreaterThanOrEqual(outcome.knowable);
              // A client whose habits are known finds the likeliest variant to be its own.
              if (known) expect(outcome.first).toBeGreaterThanOrEqual(outcome.knowable);
            }
          }),
          { numRuns: 15 },
        );
      });
    }
  }
});

/** The property would hold of a server that knows nothing; here the whole reply must have been warmed. */
describe("a long reply is warmed to its end", () => {
  const long = (what: string): string => `${what} ipsum`.repeat(12);
  const answered: Talk = {
    system: null,
    withTools: false,
    first: long("Why?"),
    rounds: [
      { reply: { reasoning: "", text: long("Because."), calls: [] }, next: [long("And then?")] },
      { reply: { reasoning: long("Hm."), text: long("Well."), calls: [] }, next: [long("Go on.")] },
    ],
  };
  const call = { id: "call_1", name: "run", arguments: '{"b":2.0,  "a":"ipsum ipsum ipsum ipsum ipsum"}' };
  const looped: Talk = {
    ...answered,
    withTools: true,
    rounds: [
      { reply: { reasoning: `${long("Hm.")}\n`, text: "\n\n", calls: [call] }, next: [long("Done.")] },
      { reply: { reasoning: long("So."), text: long("It is done."), calls: [] }, next: [long("Go on.")] },
    ],
  };

  for (const template of templates) {
    for (const client of clients) {
      test(`${template.name}: ${client.name}`, () => {
        const server = served(template);
        for (const talk of template.tools ? [answered, looped] : [answered]) {
          const outcomes = play(server, client, talk, unknown);
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
  const job = (parts: ReplyParts) => jobOf(prompt, parts, unknown);
  const call = (id: string) => ({ id, name: "run", arguments: "{}" });

  test("a template that refuses the probe is a note, not an error", () => {
    const [, , headers] = templates;
    if (headers === undefined) throw new Error("templates");
    // Two calls at once would be split; what a template refuses by itself is the template's.
    const source = `{%- for m in messages %}{%- if m.tool_calls %}{%- if m.tool_calls[0].function.name == 'run' %}{{ raise_exception('Never run.') }}{%- endif %}{%- endif %}{%- endfor %}${headers.source}`;
    const { prompter, rules } = served({ ...headers, source });
    const calls = [call("a"), call("b")];
    const { runs, notes } = planJob(job({ reasoning: "", text: "", calls }), prompter, rules);
    expect(runs).toEqual([]);
    expect(notes.join()).toContain("Never run.");
  });

  test("variants that a template makes equal are one run", () => {
    const counts = templates.map((template) => {
      const { prompter, rules } = served(template);
      return planJob(job({ reasoning: "Hm. ".repeat(20), text: "Yes.", calls: [] }), prompter, rules).runs
        .length;
    });
    // Only the templates that print old reasoning tell kept from dropped.
    expect(counts).toEqual([2, 1, 1, 1, 2, 1]);
  });
});
