/** Reads a reply in a format, in pieces, and puts its deltas together as a client does. */
import { expect } from "bun:test";
import type { ReplyFormat } from "../../../../src/chat/formats/ReplyFormat.ts";
import { objectOf } from "../../../../src/chat/formats/ReplyTrial.ts";
import type { Tool } from "../../../../src/chat/Message.ts";
import { ReplyParser } from "../../../../src/chat/replyParser.ts";

export interface Read {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
}

export const TOOLS: readonly Tool[] = [
  tool("edit", {
    path: { type: "string" },
    line: { anyOf: [{ type: "integer" }, { type: "null" }] },
    text: { type: "string" },
    list: { type: "array" },
    object: { type: "object" },
    maybe: { type: ["string", "null"] },
    any: {},
  }),
  tool("run", { force: { type: "boolean" } }),
];

function tool(name: string, properties: object): Tool {
  const definition = objectOf({
    type: "function",
    function: { name, parameters: { type: "object", properties } },
  });
  return { name, definition };
}

export interface Reading {
  readonly opensReasoning?: boolean;
  readonly continues?: "text" | "reasoning";
  readonly tools?: readonly Tool[];
}

export function readAs(format: ReplyFormat, parts: Iterable<string>, how: Reading = {}): Read {
  let ids = 0;
  const parser = new ReplyParser({
    format,
    opensReasoning: false,
    tools: TOOLS,
    newCallId: () => `call_${++ids}`,
    ...how,
  });
  let reasoning = "";
  let text = "";
  const calls: { id: string; name: string; arguments: string }[] = [];
  const take = (deltas: ReturnType<ReplyParser["push"]>) => {
    for (const delta of deltas) {
      if (delta.type === "reasoning") reasoning += delta.text;
      if (delta.type === "text") text += delta.text;
      if (delta.type === "call") {
        expect(delta.index).toBe(calls.length);
        calls.push({ id: delta.id, name: delta.name, arguments: "" });
      }
      if (delta.type !== "call-arguments") continue;
      // Only the call opened last grows.
      expect(delta.index).toBe(calls.length - 1);
      const call = calls[delta.index];
      if (call !== undefined) call.arguments += delta.text;
    }
  };
  for (const part of parts) take(parser.push(part));
  take(parser.end());
  expect(parser.message()).toMatchObject({ content: text, reasoning });
  expect(parser.callCount).toBe(calls.length);
  return { reasoning, text, calls };
}

/** The same whole and one UTF-16 unit at a time. */
export function readBoth(format: ReplyFormat, reply: string, how: Reading = {}): Read {
  const whole = readAs(format, [reply], how);
  expect(readAs(format, reply.split(""), how)).toEqual(whole);
  return whole;
}

/** After how many characters of `reply` arguments came. */
export function argumentSteps(format: ReplyFormat, reply: string): number[] {
  const parser = new ReplyParser({ format, opensReasoning: false, tools: TOOLS, newCallId: () => "call_1" });
  return reply
    .split("")
    .flatMap((char, at) =>
      parser.push(char).some((delta) => delta.type === "call-arguments") ? [at + 1] : [],
    );
}
