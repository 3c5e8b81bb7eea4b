/** The planner by example: where cuts fall in a chat, what is kept and why, and rules that cannot be followed. */
import { describe, expect, test } from "bun:test";
import { fitRules } from "../../../src/plan/fitRules.ts";
import type { ChunkRules } from "../../../src/plan/Plan.ts";
import { requestChunks } from "../../../src/plan/requestChunks.ts";

const OPEN = 1;
const USER = 2;
const REPLY = 3;
const RESULT = 4;

const RULES: ChunkRules = {
  openers: [[OPEN]],
  userOpeners: [[OPEN, USER]],
  otherOpeners: [
    [OPEN, REPLY],
    [OPEN, USER, RESULT],
  ],
  chunkTokensMin: 4,
  chunkTokensMax: 16,
  tripTokensMin: 0,
};

/** `role` after the opener, then `words` tokens of text. */
const message = (words: number, ...role: number[]) => [OPEN, ...role, ...Array<number>(words).fill(9)];
const plan = (parts: number[][], rules = RULES) => requestChunks(Int32Array.from(parts.flat()), rules, 0n);

describe("cuts", () => {
  test("fall at message starts, and at the maximum within a long message", () => {
    // Starts at 0, 8, 16; the last message is 22 tokens long.
    const { cuts } = plan([message(7), message(6, USER), message(20, REPLY)]);
    expect([...cuts]).toEqual([8, 16, 32]);
  });

  test("a message start below the minimum is no cut", () => {
    // Starts at 0, 8, 10, 18: the one at 10 lies 2 behind a cut.
    const { cuts } = plan([message(7), message(0, USER), message(6, REPLY), message(3, USER)]);
    expect([...cuts]).toEqual([8, 18]);
  });

  test("a longer opener that is not complete yet ends the plan, and does not wait past the maximum", () => {
    const rules = { ...RULES, openers: [[OPEN, USER, RESULT]] };
    const before = [...Array<number>(8).fill(9), OPEN, USER];
    expect([...plan([before], rules).cuts]).toEqual([]);
    expect([...plan([before, [RESULT]], rules).cuts]).toEqual([8]);
    expect([...plan([before, [9, 9, 9, 9, 9, 9, 9, 9]], rules).cuts]).toEqual([16]);
    const full = [...Array<number>(16).fill(9), OPEN, USER];
    expect([...plan([full], rules).cuts]).toEqual([16]);
  });
});

describe("keep", () => {
  const names = (parts: number[][], rules = RULES) =>
    plan(parts, rules).keep.map(({ cut, reason }) => `${reason}@${cut}`);

  test("head, start and end of the last user message, and the last cut", () => {
    // System 0–11, user 12–19, reply 20–27, user 28–35, generation prompt from 36.
    expect(
      names([message(11), message(6, USER), message(6, REPLY), message(6, USER), message(0, REPLY)]),
    ).toEqual(["head@12", "user-start@28", "user-end@36", "last@36"]);
  });

  test("the last cut inside a long user message, where that is not its end already", () => {
    // System 0–11, user 12–51 with cuts at 28 and 44, generation prompt from 52.
    expect(names([message(11), message(38, USER), message(0, REPLY)])).toEqual([
      "head@12",
      "user-start@12",
      "user-inside@44",
      "user-end@52",
      "last@52",
    ]);
    // Its end at 47 lies too close to the cut at 44 to be one.
    expect(names([message(11), message(33, USER), message(8, REPLY)])).toEqual([
      "head@12",
      "user-start@12",
      "user-end@44",
      "last@44",
    ]);
  });

  test("where a place is no cut, the nearest cut before it", () => {
    // The user message at 12 has 3 tokens: its end at 15 is no cut.
    expect(names([message(11), message(1, USER), message(8, REPLY)])).toEqual([
      "head@12",
      "user-start@12",
      "user-end@12",
      "last@12",
    ]);
  });

  test("a tool result that opens as a user message and then some is no user message", () => {
    expect(
      names([message(11), message(6, USER), message(6, REPLY), message(6, USER, RESULT), message(0, REPLY)]),
    ).toEqual(["head@12", "user-start@12", "user-end@20", "last@37"]);
  });

  test("the start of the reply, where the generation prompt goes on to a cut of its own", () => {
    expect(names([message(11), message(6, USER), message(4, REPLY), [OPEN, 9]])).toEqual([
      "head@12",
      "user-start@12",
      "user-end@20",
      "reply-start@20",
      "last@26",
    ]);
    // A user message behind it says that it was answered: the next prompt is no longer answered from there.
    expect(names([message(11), message(4, REPLY), message(4, USER), [OPEN, 9]])).toEqual([
      "head@18",
      "user-start@18",
      "user-end@24",
      "last@24",
    ]);
  });

  test("nothing where there is no cut, and only the last one where user messages are not known", () => {
    expect(names([message(2, USER)])).toEqual([]);
    expect(names([message(11), message(6, USER), message(0, REPLY)], { ...RULES, userOpeners: [] })).toEqual([
      "last@20",
    ]);
  });
});

describe("rules", () => {
  test("that cannot be followed are refused by name", () => {
    expect(() => plan([], { ...RULES, chunkTokensMin: 65, chunkTokensMax: 128 })).toThrow(/chunkTokensMin/);
    expect(() => plan([], { ...RULES, chunkTokensMax: 3 })).toThrow(/chunkTokensMax/);
    expect(() => plan([], { ...RULES, tripTokensMin: -1 })).toThrow(/tripTokensMin/);
  });

  test("are fitted to the micro-batch with room for an opener that is awaited", () => {
    const rules = { ...RULES, openers: [[1, 2, 3]], chunkTokensMin: 32, chunkTokensMax: 512 };
    expect(fitRules(rules, 512).chunkTokensMax).toBe(510);
    expect(fitRules({ ...rules, chunkTokensMin: 100 }, 512).chunkTokensMin).toBe(64);
    expect(fitRules(rules, 8)).toMatchObject({ chunkTokensMin: 6, chunkTokensMax: 6 });
  });
});
