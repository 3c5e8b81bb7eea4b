import { expect, test } from "bun:test";
import fc from "fast-check";
import { StopFilter } from "../../../src/chat/replyStop.ts";

function run(stops: readonly string[], parts: readonly string[]): { text: string; hit: string | null } {
  const filter = new StopFilter(stops);
  let text = "";
  for (const part of parts) text += filter.push(part);
  return { text: text + filter.end(), hit: filter.hit };
}

test("a stop string is cut off with all behind it", () => {
  expect(run(["END"], ["one E", "N", "D two"])).toEqual({ text: "one ", hit: "END" });
});

test("what could become one is held back, and given when it does not", () => {
  const filter = new StopFilter(["END"]);
  expect(filter.push("a EN")).toBe("a ");
  expect(filter.push("V")).toBe("ENV");
  expect(run(["END"], ["a EN"])).toEqual({ text: "a EN", hit: null });
});

test("the one that is complete first wins; of two at one place the longer", () => {
  expect(run(["bcd", "c"], ["abcd"])).toEqual({ text: "ab", hit: "c" });
  expect(run(["c", "bc"], ["abcd"])).toEqual({ text: "a", hit: "bc" });
});

test("an empty stop string stops nothing", () => {
  expect(run([""], ["abc"])).toEqual({ text: "abc", hit: null });
});

test("any split gives the same", () => {
  const word = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 14 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 3 }), (text, stops) => {
      expect(run(stops, text.split(""))).toEqual(run(stops, [text]));
    }),
    { numRuns: 2000 },
  );
});
