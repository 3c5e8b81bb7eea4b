/** Replies as Anthropic messages: blocks, order, and that what clients echo is the reply again. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalForm } from "../../../../src/chat/canonical.ts";
import { USUAL_FORMAT } from "../../../../src/chat/formats/ReplyFormat.ts";
import type { AssistantMessage } from "../../../../src/chat/Message.ts";
import { ReplyParser } from "../../../../src/chat/replyParser.ts";
import { parseJson } from "../../../../src/json/parseJson.ts";
import { messageEvents, wholeMessage } from "../../../../src/protocol/anthropic/message.ts";
import { readMessages } from "../../../../src/protocol/anthropic/readMessages.ts";
import type { ReplyEnd, ReplyEvent } from "../../../../src/serve/reply.ts";
import { fakeReport } from "../../../support/FakeEngine.ts";
import type { Loose } from "../../../support/httpClient.ts";

const HEADING = { id: "msg_1", model: "m", requestId: "req_1", maxTokens: 100 };
const REPORT = fakeReport({ promptTokens: 30, resumedTokens: 20, prefilledTokens: 10, predictedTokens: 7 });

interface Played {
  readonly events: ReplyEvent[];
  readonly message: AssistantMessage;
}

/** What a turn gives for this text, in pieces of `size` characters. */
function play(text: string, size = 3, end: Partial<ReplyEnd> = {}, format = USUAL_FORMAT): Played {
  let ids = 0;
  const newCallId = (): string => `toolu_${++ids}`;
  const parser = new ReplyParser({ opensReasoning: false, tools: true, newCallId, format });
  const deltas: ReplyEvent[] = [];
  for (let at = 0; at < text.length; at += size) deltas.push(...parser.push(text.slice(at, at + size)));
  deltas.push(...parser.end());
  const message = parser.message();
  const finish = parser.callCount > 0 ? "tool-calls" : "stop";
  const last = {
    type: "end",
    finish,
    stopString: null,
    message,
    reasoningTokens: 2,
    report: REPORT,
  } as const;
  const first: ReplyEvent[] = [
    { type: "accepted" },
    { type: "prefill", resumed: 20, evaluated: 0, total: 30, ms: 0 },
    { type: "prefill", resumed: 20, evaluated: 10, total: 30, ms: 0 },
  ];
  return { events: [...first, ...deltas, { ...last, ...end }], message };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function streamed(events: readonly ReplyEvent[], heading = HEADING): Promise<Loose[]> {
  const out: Loose[] = [];
  for await (const item of messageEvents(each(events), heading)) {
    if (typeof item === "string") throw new Error("an event without a name");
    const data = JSON.parse(item.data);
    expect(data.type).toBe(item.event);
    out.push(data);
  }
  return out;
}

async function whole(events: readonly ReplyEvent[], heading = HEADING): Promise<Loose> {
  return JSON.parse(await wholeMessage(each(events), heading));
}

/** As the SDK puts a stream together; throws where its order is wrong. */
function collect(events: readonly Loose[]): Loose {
  let message: Loose;
  let open = false;
  for (const event of events) {
    const { type, index, delta } = event;
    if (type === "message_start") {
      expect(message).toBeUndefined();
      message = structuredClone(event.message);
    } else if (type === "content_block_start") {
      expect([open, index]).toEqual([false, message.content.length]);
      open = true;
      message.content.push({ ...event.content_block, json: "" });
    } else if (type === "content_block_delta") {
      expect([open, index]).toEqual([true, message.content.length - 1]);
      const block = message.content[index];
      const kind = { thinking_delta: "thinking", signature_delta: "thinking", text_delta: "text" }[
        delta.type as string
      ];
      expect(block.type).toBe(kind ?? "tool_use");
      expect(block.signature ?? "").toBe("");
      if (delta.type === "thinking_delta") block.thinking += delta.thinking;
      if (delta.type === "signature_delta") block.signature = delta.signature;
      if (delta.type === "text_delta") block.text += delta.text;
      if (delta.type === "input_json_delta") block.json += delta.partial_json;
    } else if (type === "content_block_stop") {
      expect([open, index]).toEqual([true, message.content.length - 1]);
      open = false;
      const { json, ...block } = message.content[index];
      message.content[index] = block.type === "tool_use" ? { ...block, input: JSON.parse(json) } : block;
    } else if (type === "message_delta") {
      expect(open).toBe(false);
      Object.assign(message, delta);
      Object.assign(message.usage, event.usage);
      message.warmturn = event.warmturn;
      message.timings = event.timings;
    }
  }
  return message;
}

const CALL = (args: string): string => `<tool_call>\n{"name": "add", "arguments": ${args}}\n</tool_call>`;
const LOOP = `<think>\nlet me add\n</think>\n\nSure.\n\n${CALL('{"b": 2.0, "a": 1}')}\n${CALL("{}")}`;

describe("the stream", () => {
  test("its events, in order", async () => {
    const events = await streamed(play(LOOP, 1000).events);
    expect(
      events.map(({ type, index, content_block, delta }) =>
        [type, index, content_block?.type ?? delta?.type].filter((part) => part !== undefined).join(" "),
      ),
    ).toEqual([
      "message_start",
      "ping",
      "content_block_start 0 thinking",
      "content_block_delta 0 thinking_delta",
      "content_block_delta 0 signature_delta",
      "content_block_stop 0",
      "content_block_start 1 text",
      "content_block_delta 1 text_delta",
      "content_block_stop 1",
      "content_block_start 2 tool_use",
      "content_block_delta 2 input_json_delta",
      "content_block_stop 2",
      "content_block_start 3 tool_use",
      "content_block_delta 3 input_json_delta",
      "content_block_stop 3",
      "message_delta",
      "message_stop",
    ]);
  });

  test("the beginning knows what the prompt took, without what was cached", async () => {
    const [start] = await streamed(play("hi").events);
    expect(start.message.usage).toMatchObject({
      input_tokens: 10,
      cache_read_input_tokens: 20,
      output_tokens: 0,
    });
    expect(start.message).toMatchObject({ id: "msg_1", role: "assistant", content: [], stop_reason: null });
  });

  test("collected, it is the whole message, however it came in pieces", async () => {
    for (const text of [LOOP, "hi", "", `${CALL("{}")}\nMore`, `a ${CALL("{}")} b\n\n${CALL("{}")}\nc`]) {
      const message = await whole(play(text).events);
      for (const size of [1, 2, 7, 1000])
        expect(collect(await streamed(play(text, size).events))).toEqual(message);
    }
  });

  test("an error ends it, before or after its beginning", async () => {
    const { AppError } = await import("../../../../src/base/AppError.ts");
    const error: ReplyEvent = { type: "error", error: new AppError("engine-failed", "No memory is left.") };
    const body = {
      type: "error",
      error: { type: "api_error", message: "No memory is left." },
      request_id: "req_1",
    };
    expect(await streamed([{ type: "accepted" }, error])).toEqual([body]);
    const partly = await streamed([...play("hi").events.slice(0, -1), error]);
    expect(partly.at(-1)).toEqual(body);
    expect(partly.some(({ type }) => type === "message_stop")).toBe(false);
    await expect(whole([{ type: "accepted" }, error])).rejects.toThrow("No memory is left.");
  });
});

describe("the whole message", () => {
  test("blocks, usage and reports", async () => {
    const message = await whole(play(LOOP).events);
    expect(message).toMatchObject({
      type: "message",
      stop_reason: "tool_use",
      content: [
        { type: "thinking", thinking: "let me add" },
        { type: "text", text: "Sure." },
        { type: "tool_use", id: "toolu_1", name: "add", input: { a: 1, b: 2 } },
        { type: "tool_use", id: "toolu_2", name: "add", input: {} },
      ],
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 20,
        cache_creation_input_tokens: 0,
        output_tokens: 7,
        output_tokens_details: { thinking_tokens: 2 },
      },
      warmturn: { resumed: 20, prefilled: 10 },
      timings: { cache_n: 20 },
    });
    expect(message.content[0].signature).toMatch(/^wt1\.[0-9a-f]{16}$/);
  });

  test("inputs keep digits and key order", async () => {
    const { events } = play(CALL('{"b": 2.0, "2": 1, "a": 12345678901234567890}'));
    expect(await wholeMessage(each(events), HEADING)).toContain(
      '"input":{"b":2.0,"2":1,"a":12345678901234567890}',
    );
  });

  test("every stop reason that can occur", async () => {
    const stop = async (end: Partial<ReplyEnd>, maxTokens = 100): Promise<unknown> => {
      const message = await whole(play("hi", 3, end).events, { ...HEADING, maxTokens });
      return [message.stop_reason, message.stop_sequence];
    };
    expect(await stop({ finish: "stop" })).toEqual(["end_turn", null]);
    expect(await stop({ finish: "tool-calls" })).toEqual(["tool_use", null]);
    expect(await stop({ finish: "stop-string", stopString: "END" })).toEqual(["stop_sequence", "END"]);
    expect(await stop({ finish: "length" }, 7)).toEqual(["max_tokens", null]);
    expect(await stop({ finish: "length" }, 0)).toEqual(["max_tokens", null]);
    expect(await stop({ finish: "length" }, 8)).toEqual(["model_context_window_exceeded", null]);
    expect(await stop({ finish: "length" }, Number.POSITIVE_INFINITY)).toEqual([
      "model_context_window_exceeded",
      null,
    ]);
  });

  test("a call that was cut off has an input all the same", async () => {
    const message = await whole(play('<tool_call>\n{"name": "add", "arguments": {"a": 1').events);
    expect(message.content).toMatchObject([{ type: "tool_use", name: "add", input: {} }]);
  });
});

/** What clients were seen to do with the blocks of a reply before they send them back. */
const CLIENTS: Record<string, (blocks: Loose[]) => unknown> = {
  "the SDK": (blocks) => blocks,
  "Claude Code": (blocks) =>
    blocks
      .filter((block) => block.type !== "text" || block.text.trim() !== "")
      .map((block, i) =>
        i === blocks.length - 1 ? { ...block, cache_control: { type: "ephemeral" } } : block,
      ),
  "without signatures": (blocks) => blocks.map((block) => ({ ...block, signature: "" })),
  "one text as a string": (blocks) =>
    blocks.length === 1 && blocks[0].type === "text" ? blocks[0].text : blocks,
  "one that trims": (blocks) =>
    blocks.map((block) =>
      block.type === "thinking" ? { ...block, thinking: block.thinking.trim() } : block,
    ),
};

/** What is made of the blocks that a client sends back. */
function readBack(content: unknown): unknown {
  const echoed = JSON.stringify([{ role: "assistant", content }]);
  const rules = { keepAttribution: false, note: () => {}, deferred: new Map() };
  return readMessages(undefined, parseJson(echoed), [], rules);
}

test("thoughts before, between and after texts come back as one reply", async () => {
  const channel = (name: string, text: string): string =>
    `<|start|>assistant<|channel|>${name}<|message|>${text}<|end|>`;
  const spelt = [
    channel("analysis", "one\n"),
    channel("analysis", " two"),
    channel("commentary", "Let me see. "),
    channel("analysis", "three"),
    channel("final", "\n\nDone."),
  ].join("");
  for (const size of [1, 1000]) {
    const { events, message } = play(spelt, size, {}, { ...USUAL_FORMAT, channels: "harmony" });
    expect(message).toMatchObject({ reasoning: "one\ntwo\nthree", content: "Let me see.\nDone." });
    const { content } = await whole(events);
    expect(content.map((block: Loose) => block.thinking ?? block.text)).toEqual([
      "one\ntwo",
      "Let me see.",
      "three",
      "Done.",
    ]);
    expect(collect(await streamed(events)).content).toEqual(content);
    expect(readBack(content)).toEqual(canonicalForm([message], []));
  }
});

test("what a client echoes is the reply, in its canonical form", async () => {
  const words = fc.constantFrom("a", " b", "c.\n", "\n\n", "é🙂 ", "");
  const text = fc.array(words, { maxLength: 4 }).map((parts) => parts.join(""));
  const args = fc.constantFrom("{}", '{"a": 1}', '{"b": "x\\ny", "a": [1, {"z": null}]}');
  const calls = fc.array(fc.tuple(args, text), { maxLength: 3 });
  const reply = fc
    .tuple(fc.option(text), text, calls)
    .map(([thought, first, rest]) =>
      [
        thought === null ? "" : `<think>\n${thought}\n</think>\n\n`,
        first,
        ...rest.map(([input, behind]) => `\n${CALL(input)}\n${behind}`),
      ].join(""),
    );
  await fc.assert(
    fc.asyncProperty(reply, fc.constantFrom(...Object.keys(CLIENTS)), async (spelt, name) => {
      const { events, message } = play(spelt);
      const { content } = await whole(events);
      fc.pre(content.length > 0);
      expect(readBack(CLIENTS[name]?.(content))).toEqual(canonicalForm([message], []));
    }),
  );
});
