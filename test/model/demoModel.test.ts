/** The measure of the demo model: its cases are whole, and right and wrong replies count as such. */
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Case, generatedCases, handCases } from "../../scripts/demoEval/cases.ts";
import { play } from "../../scripts/demoEval/play.ts";
import { Tally } from "../../scripts/demoEval/Tally.ts";

const EVAL = join(import.meta.dir, "../../models/demo/eval.jsonl");
const EVAL_BYTES_MAX = 300_000;

interface Said {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly object[];
}

const CASE: Case = {
  system: null,
  tools: [["read_file", ["path"]]],
  turns: [
    {
      kind: "pair",
      user: "read a, then b",
      steps: [
        { calls: [["read_file", { path: "a" }]], results: ["one"] },
        { calls: [["read_file", { path: "b" }]], results: ["two"] },
      ],
      reply: "one, two",
      values: ["one", "two"],
    },
    { kind: "talk", user: "hello", steps: [], reply: "Hello!", values: [] },
    { kind: "refuse", user: "weather in Oslo", steps: [], reply: "I can't.", values: [] },
  ],
};

function call(path: string, name = "read_file"): Said {
  const made = { name, arguments: JSON.stringify({ path }) };
  return { tool_calls: [{ index: 0, id: `call_${path}`, type: "function", function: made }] };
}

/** Plays CASE against a server that says `replies` one after the other; also gives the requests' messages. */
async function played(replies: readonly Said[], keepReasoning = true) {
  const asked: Said[][] = [];
  const left = [...replies];
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      asked.push(((await request.json()) as { messages: Said[] }).messages);
      const chunk = JSON.stringify({ choices: [{ delta: left.shift() ?? {} }] });
      return new Response(`data: ${chunk}\n\ndata: [DONE]\n\n`);
    },
  });
  const tally = new Tally();
  await play({ url: `http://127.0.0.1:${server.port}`, keepReasoning, tally }, CASE);
  return { tally, asked };
}

const RIGHT: readonly Said[] = [
  { ...call("a"), reasoning_content: "First read_file." },
  call("b"),
  { content: "one, two" },
  { content: "Hello!" },
  { content: "I can't." },
];

test("there are 200 conversations and 50 calls by hand, in a file of moderate size", () => {
  expect(generatedCases(1000)).toHaveLength(200);
  expect(handCases()).toHaveLength(50);
  expect(statSync(EVAL).size).toBeLessThan(EVAL_BYTES_MAX);
});

test("right replies count as right", async () => {
  const { tally } = await played(RIGHT);
  const measures = ["calls", "chains", "finals", "talk", "refusals", "same words"];
  expect(measures.map((name) => tally.percent(name))).toEqual([100, 100, 100, 100, 100, 100]);
});

test("a wrong call fails the call and the chain, and the loop goes on with the right result", async () => {
  const { tally, asked } = await played([call("x"), ...RIGHT.slice(1)]);
  expect([tally.words("calls"), tally.words("chains")]).toEqual(["1/2 50.0 %", "0/1 0.0 %"]);
  expect(asked[1]?.at(-1)).toMatchObject({ role: "tool", tool_call_id: "call_x", content: "one" });
  expect(tally.percent("finals")).toBe(100);
});

test("the right arguments for another tool are wrong", async () => {
  const { tally } = await played([call("a", "open_file"), ...RIGHT.slice(1)]);
  expect(tally.words("calls")).toBe("1/2 50.0 %");
});

test("a missing call is replaced, a lost value fails the answer, a call is no talk and no refusal", async () => {
  const { tally, asked } = await played([
    { content: "no" },
    call("b"),
    { content: "one" },
    call("a"),
    call("a"),
  ]);
  expect(asked[1]?.at(-2)?.tool_calls).toHaveLength(1);
  expect(["calls", "finals", "talk", "refusals"].map((name) => tally.percent(name))).toEqual([50, 0, 0, 0]);
});

test("a client that drops reasoning sends none back", async () => {
  const thoughts = async (keep: boolean) =>
    (await played(RIGHT, keep)).asked[1]?.filter((message) => message.reasoning_content !== undefined).length;
  expect([await thoughts(true), await thoughts(false)]).toEqual([1, 0]);
});
