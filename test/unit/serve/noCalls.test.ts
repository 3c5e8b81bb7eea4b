/** `tool_choice` none, held by the grammar: no call of any family can begin, and all other text can be written. */
import { describe, expect, test } from "bun:test";
import type { ReplyFormat } from "../../../src/chat/formats/ReplyFormat.ts";
import type { ToolChoice } from "../../../src/chat/Message.ts";
import { replyGrammar } from "../../../src/serve/replyGrammar.ts";
import { GrammarMatcher } from "../../support/grammar/GrammarMatcher.ts";
import { FAMILIES } from "../chat/formats/families.ts";
import { readAs, TOOLS } from "../chat/formats/readAs.ts";

function held(format: ReplyFormat, toolChoice: ToolChoice, tools = TOOLS) {
  const demand = { tools, toolChoice, parallelCalls: true };
  return replyGrammar(demand, { opensReasoning: false, warn: () => {}, format });
}

describe.each(Object.entries(FAMILIES))("%s", (_, { format, one, two }) => {
  const { grammar, grammarTrigger } = held(format, { type: "none" });
  const isMarked = grammar !== undefined;
  const matcher = new GrammarMatcher(grammar ?? "root ::= [^\\x00]*");

  test("no call begins: alone, behind text, in reasoning", () => {
    expect(grammarTrigger).toBeUndefined();
    // Only where nothing tells a call from JSON.
    expect(isMarked).toBe(format.calls?.bare !== true);
    if (!isMarked) return;
    for (const text of [one, two ?? one, `Well.\n${one}`, `<think>\nhm ${one}`]) {
      // A name is what marks a call only at the beginning of a message.
      if (format.channels === "all" && text !== one && text !== two) continue;
      expect([text, matcher.matches(text)]).toEqual([text, false]);
    }
  });

  test("all else can be written", () => {
    for (const text of ["", "Hello.", "a < b, and [1, 2] or {x: 1}\n", "I call no tool (édition) 🙂."]) {
      expect([text, matcher.matches(text)]).toEqual([text, true]);
    }
  });

  test("a call that came all the same is none", () => {
    expect(readAs(format, [one], { tools: [] }).calls).toEqual([]);
  });

  test("of allowed tools no other is called", () => {
    const allowed = held(format, { type: "auto", allowed: ["run"] });
    if (allowed.grammar === undefined) return;
    expect(allowed.grammarTrigger?.text).toBe(held(format, { type: "auto" }).grammarTrigger?.text);
    expect(new GrammarMatcher(allowed.grammar).matches(one.trim())).toBe(false);
    expect(allowed.grammar).not.toBe(held(format, { type: "auto" }).grammar);
    expect([...allowed.grammar.matchAll(/"[^"]*\b(edit|run)\b/g)].map(([, name]) => name)).not.toContain(
      "edit",
    );
  });
});

test("nobody allowed is none", () => {
  const { format } = FAMILIES["functionary v3.1"] ?? {};
  if (format === undefined) throw new Error("no such family");
  const nobody = held(format, { type: "auto", allowed: [] });
  expect(nobody).toEqual(held(format, { type: "none" }));
});

test("without tools nothing is held", () => {
  const { format } = FAMILIES["functionary v3.1"] ?? {};
  if (format === undefined) throw new Error("no such family");
  expect(held(format, { type: "none" }, [])).toEqual({});
});
