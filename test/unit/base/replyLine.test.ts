import { expect, test } from "bun:test";
import { createLog } from "../../../src/base/log.ts";
import { type ReplyFields, replyLine } from "../../../src/base/replyLine.ts";

const WARM: ReplyFields = {
  id: "req_1",
  end: "done",
  prompt: 812,
  resumed: 700,
  warmed: 640,
  prefilled: 112,
  generated: 40,
  queued_ms: 1,
  first_token_ms: 85,
  tokens_per_second: 52.1,
  ms: 870,
};

test("what a reply took and was spared, in one line", () => {
  expect(replyLine(WARM)).toBe(
    "812 prompt tokens: 700 resumed (640 warmed), 112 prefilled; 40 generated; first after 85 ms; 52.1 tokens/s; 870 ms",
  );
});

test("why no more was resumed, and how it ended where it was not done", () => {
  const cold = { ...WARM, resumed: 0, warmed: 0, prefilled: 812, end: "aborted", miss: "cold" } as const;
  expect(replyLine(cold)).toEndWith(
    "812 prompt tokens: 0 resumed, 812 prefilled; 40 generated; first after 85 ms; 52.1 tokens/s; 870 ms; aborted; missed: cold",
  );
});

test("of a run that the engine refused only what is known", () => {
  expect(replyLine({ end: "refused", prompt: 9, generated: 0, ms: 2 })).toBe(
    "9 prompt tokens; 0 generated; 2 ms; refused",
  );
});

function written(format: "pretty" | "json"): string[] {
  const lines: string[] = [];
  const look = { colour: false, isTerminal: false };
  const log = createLog({
    level: "info",
    format,
    look,
    sentences: { reply: replyLine },
    write: (text) => lines.push(text),
  });
  log.info({ ...WARM }, "reply");
  log.info({ some: 1 }, "another");
  return lines;
}

test("a person reads one line, without its fields", () => {
  const [reply = "", another = ""] = written("pretty");
  expect(reply.trimEnd()).toEndWith(`INFO: ${replyLine(WARM)}`);
  expect(another).toContain("some: 1");
});

test("a program reads the fields", () => {
  const [reply = ""] = written("json");
  expect(JSON.parse(reply)).toMatchObject({ ...WARM, msg: "reply" });
});
