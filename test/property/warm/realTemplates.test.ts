/**
 * I6 over the real templates beside the project: each with the special tokens that it spells, two clients that
 * keep reasoning and two that drop it. A template that cannot be parsed or refuses a talk proves nothing.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { FakeVocab } from "../../support/FakeVocab.ts";
import { talkArb } from "./conversationArb.ts";
import { clients } from "./echoes.ts";
import { play, type Served, serve, unknown } from "./playTalk.ts";

const folder = join(import.meta.dir, "../../../../shared/templates");
const present = existsSync(folder);
if (!present) console.warn("SKIPPED: I6 over real templates: there is no ../shared/templates");

const control = /<\|[^|<>\s']+\|>|<｜[^｜<>]+｜>|\[\/?[A-Z][A-Z_]+\]|<\/?(?:start|end)_of_turn>|<\/?s>/g;
const tags = ["<think>", "</think>", "<tool_call>", "</tool_call>"];

function served(source: string): Served | string {
  const spelled = new Set(["<bos>", "<eos>", ...(source.match(control) ?? [])]);
  const vocab = new FakeVocab({ control: [...spelled], userDefined: tags, bos: "<bos>", eos: "<eos>" });
  try {
    return serve(source, vocab);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe.skipIf(!present)("I6 over real templates", () => {
  let proven = 0;
  for (const file of present ? readdirSync(folder).filter((name) => name.endsWith(".jinja")) : []) {
    test(file, () => {
      const server = served(readFileSync(join(folder, file), "utf8"));
      if (typeof server === "string") {
        console.warn(`SKIPPED: ${file}: ${server}`);
        return;
      }
      let rounds = 0;
      for (const client of clients.slice(0, 4)) {
        fc.assert(
          fc.property(talkArb(true, 2), (talk) => {
            for (const outcome of play(server, client, talk, unknown)) {
              rounds += 1;
              expect(outcome.resumed).toBeGreaterThanOrEqual(outcome.knowable);
            }
          }),
          { numRuns: 3 },
        );
      }
      if (rounds === 0) console.warn(`SKIPPED: ${file}: it renders no talk`);
      else proven += 1;
    });
  }

  test("most of them render talks", () => {
    expect(proven).toBeGreaterThan(45);
  });
});
