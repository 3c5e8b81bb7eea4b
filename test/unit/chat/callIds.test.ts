/** Ids in the form that the model's calls show. */
import { expect, test } from "bun:test";
import type { CallFormat, CallPart } from "../../../src/chat/CallFormat.ts";
import { callIds } from "../../../src/chat/callIds.ts";
import type { Message } from "../../../src/chat/Message.ts";

const format = (...parts: readonly CallPart[]): CallFormat => ({
  shape: "named",
  sectionStart: "<|calls|>",
  separator: "",
  sectionEnd: "",
  parts,
  arguments: { kind: "json" },
  several: true,
  bare: false,
});
const NAME = { slot: "name" } as const;
const ARGUMENTS = { slot: "arguments" } as const;
const KIMI = format("<|call|>functions.", NAME, ":", { slot: "index", from: 0 }, "<|args|>", ARGUMENTS);
const called = (id: string): Message => ({
  role: "assistant",
  content: "",
  reasoning: "",
  toolCalls: [{ id, name: "f", arguments: new Map() }],
});
let plain = 0;
const otherwise = () => `call_${++plain}`;

test("Kimi's", () => {
  const ids = callIds(KIMI, [], otherwise);
  expect([ids("f", 0), ids("g", 1), ids("f", 2)]).toEqual([
    "functions.f:0",
    "functions.g:1",
    "functions.f:2",
  ]);
});

test("none that the conversation has", () => {
  const result: Message = { role: "tool", content: "", toolCallId: "functions.f:1", name: "f" };
  const ids = callIds(KIMI, [called("functions.f:0"), result, called("call_1")], otherwise);
  expect([ids("f", 0), ids("f", 1), ids("g", 2)]).toEqual([
    "functions.f:2",
    "functions.f:3",
    "functions.g:2",
  ]);
});

test("counted from one where the model does", () => {
  const ids = callIds(
    format("<|call|>tools.", NAME, ":", { slot: "index", from: 1 }, "|", ARGUMENTS),
    [],
    otherwise,
  );
  expect(ids("f", 0)).toBe("tools.f:1");
});

test("elsewhere our own", () => {
  const others = [
    format("<|call|>", NAME, ARGUMENTS),
    format("<|call|>", NAME, " nr ", { slot: "index" }, ARGUMENTS),
    null,
    undefined,
  ];
  for (const other of others) expect(callIds(other, [], otherwise)("f", 0)).toMatch(/^call_\d$/);
});
