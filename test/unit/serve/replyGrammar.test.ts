import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { grammarProblem } from "../../../ffi/grammarCheck.ts";
import { ReplyParser } from "../../../src/chat/replyParser.ts";
import { type ForcedCalls, replyGrammar } from "../../../src/serve/replyGrammar.ts";
import { GbnfMatcher } from "../../support/GbnfMatcher.ts";

function matcher(forced: Partial<ForcedCalls> = {}): GbnfMatcher {
  return new GbnfMatcher(
    replyGrammar({ names: ["add", 'odd "\\ name'], parallel: true, opensReasoning: false, ...forced }),
  );
}

const call = (name: string, args = "{}"): string =>
  `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${args}}\n</tool_call>`;

describe("what is forced", () => {
  const any = matcher();

  test.each([
    ["a call", call("add"), true],
    ["an odd name", call('odd "\\ name'), true],
    ["several calls", `${call("add")}\n${call("add")}`, true],
    ["reasoning first", `<think>\nhm\n</think>\n\n${call("add")}`, true],
    ["nothing", "", false],
    ["text", "hello", false],
    ["another tool", call("sub"), false],
    ["text behind", `${call("add")} x`, false],
    ["arguments that are no object", call("add", "[]"), false],
    ["reasoning without its end", `<think>hm${call("add")}`, false],
    ["a message opener in reasoning", `<think><|im_start|></think>${call("add")}`, false],
  ])("%s", (_, text, fits) => {
    expect(any.matches(text)).toBe(fits);
  });

  test("one call where several are not allowed", () => {
    const one = matcher({ parallel: false });
    expect(one.matches(call("add"))).toBe(true);
    expect(one.matches(`${call("add")}\n${call("add")}`)).toBe(false);
  });

  test("reasoning that the prompt opened has to be closed", () => {
    const open = matcher({ opensReasoning: true });
    expect(open.matches(`hm</think>\n\n${call("add")}`)).toBe(true);
    expect(open.matches(call("add"))).toBe(false);
  });
});

test("llama.cpp can take it, with many tools, too", () => {
  const names = Array.from({ length: 500 }, (_, i) => `tool_${i}`);
  for (const opensReasoning of [true, false]) {
    expect(grammarProblem(replyGrammar({ names, parallel: true, opensReasoning }))).toBeNull();
  }
});

test("any reasoning and any JSON object fit, and the parser reads the call back", () => {
  const grammar = matcher();
  const bit = fc.constantFrom("<", "</", "</th", "<<", "think>", "/", "x", " ", "\n", "é", "|");
  const reasoning = fc
    .array(bit, { maxLength: 10 })
    .map((bits) => bits.join(""))
    .filter((text) => !text.includes("<|") && !text.includes("</think>") && !`${text}</`.includes("<|"));
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  fc.assert(
    fc.property(reasoning, object, fc.boolean(), (thought, args, spaced) => {
      // GBNF's numbers here have 15 digits at most before the point.
      const json = spaced ? JSON.stringify(args, null, 1) : JSON.stringify(args);
      fc.pre(!/\d{16}|\.\d{16}|\u007f/.test(json));
      const text = `<think>${thought}</think>\n\n${call("add", json)}`;
      expect(grammar.matches(text)).toBe(true);
      const parser = new ReplyParser({ opensReasoning: false, tools: true, newCallId: () => "c" });
      parser.push(text);
      parser.end();
      expect(parser.callCount).toBe(1);
    }),
    { numRuns: 300 },
  );
});
