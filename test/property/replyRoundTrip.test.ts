/**
 * The round trip of replies: what the model writes in its template's own format is parsed, given to a client,
 * echoed by its habits, and renders to the tokens that the warm pass predicted (I6, as far as they were known).
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { ReplyFormat } from "../../src/chat/formats/ReplyFormat.ts";
import { type SpelledCall, spellCalls } from "../../src/chat/formats/spellCalls.ts";
import type { ReplyParts } from "../../src/chat/replyMessage.ts";
import { ReplyParser } from "../../src/chat/replyParser.ts";
import { isJsonObject } from "../../src/json/kinds.ts";
import { parseJson } from "../../src/json/parseJson.ts";
import { FakeVocab } from "../support/FakeVocab.ts";
import { type Talk, talkArb } from "./warm/conversationArb.ts";
import { clients } from "./warm/echoes.ts";
import { play, type Served, serve, unknown } from "./warm/playTalk.ts";

const folder = join(import.meta.dir, "../../../shared/templates");
const present = existsSync(folder);
if (!present) console.warn("SKIPPED: the round trip of replies: there is no ../shared/templates");

const special = /<\|[^|<>\s']+\|>|<｜[^｜<>]+｜>|<\|[^|<>\s']+>|<[a-z_]+\|>|\[\/?[A-Z][A-Z_]+\]/g;

function served(source: string): Served | string {
  const spelled = new Set(["<bos>", "<eos>", ...(source.match(special) ?? [])]);
  try {
    return serve(source, new FakeVocab({ control: [...spelled], bos: "<bos>", eos: "<eos>" }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The reply as the model would write it, in one piece. */
function written(format: ReplyFormat, reply: ReplyParts): string {
  const calls = reply.calls.flatMap((call): SpelledCall[] => {
    try {
      const value = parseJson(call.arguments);
      return isJsonObject(value) ? [{ name: call.name, id: "abcdefgh1", arguments: value }] : [];
    } catch {
      return [];
    }
  });
  const { reasoning, channels } = format;
  const spelt = format.calls === null || calls.length === 0 ? "" : spellCalls(format.calls, calls);
  if (channels === "harmony") {
    const thought = `<|channel|>analysis<|message|>${reply.reasoning}<|end|><|start|>assistant`;
    return thought + (spelt === "" ? `<|channel|>final<|message|>${reply.text}` : spelt);
  }
  if (channels !== null) return spelt;
  const thought = reasoning === null ? "" : `${reasoning.start}${reply.reasoning}${reasoning.end}`;
  return thought + reply.text + spelt;
}

function parsed(format: ReplyFormat, text: string, newCallId: () => string): ReplyParts {
  const parser = new ReplyParser({ format, opensReasoning: false, tools: true, newCallId });
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const delta of [...parser.push(text), ...parser.end()]) {
    if (delta.type === "call") calls.push({ id: delta.id, name: delta.name, arguments: "" });
    const call = delta.type === "call-arguments" ? calls[delta.index] : undefined;
    if (delta.type === "call-arguments" && call !== undefined) call.arguments += delta.text;
  }
  const { content, reasoning } = parser.message();
  return { reasoning, text: content, calls };
}

/** The talk as it would go with this model: its replies are what was read of what it wrote. */
function asRead(format: ReplyFormat, talk: Talk): Talk {
  let ids = 0;
  const rounds = talk.rounds.map(({ reply, next }) => {
    const read = parsed(format, written(format, reply), () => `call_${ids++}`);
    const results = Array.from({ length: Math.max(1, read.calls.length) }, (_, i) => next[i] ?? "more");
    return { reply: read, next: results };
  });
  return { ...talk, rounds };
}

describe.skipIf(!present)("a reply, given, echoed and rendered", () => {
  let calls = 0;
  let reasoned = 0;
  for (const file of present ? readdirSync(folder).filter((name) => name.endsWith(".jinja")) : []) {
    test(file, () => {
      const server = served(readFileSync(join(folder, file), "utf8"));
      if (typeof server === "string") {
        console.warn(`SKIPPED: ${file}: ${server}`);
        return;
      }
      const { format } = server.prompter.dialect.reply;
      for (const client of clients.slice(0, 2)) {
        fc.assert(
          fc.property(talkArb(true, 2), (talk) => {
            const real = asRead(format, talk);
            calls += real.rounds.filter(({ reply }) => reply.calls.length > 0).length;
            reasoned += real.rounds.filter(({ reply }) => reply.reasoning !== "").length;
            for (const outcome of play(server, client, real, unknown)) {
              expect(outcome.resumed).toBeGreaterThanOrEqual(outcome.knowable);
            }
          }),
          { numRuns: 3 },
        );
      }
    });
  }

  test("many of them called and reasoned", () => {
    expect(calls).toBeGreaterThan(100);
    expect(reasoned).toBeGreaterThan(100);
  });
});
