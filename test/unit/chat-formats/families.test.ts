/** Every family's replies in the form that its model writes, whole and a character at a time. */
import { describe, expect, test } from "bun:test";
import { objectOf } from "../../../src/chat/formats/ReplyProbe.ts";
import { spellCalls } from "../../../src/chat/formats/spellCalls.ts";
import { EDIT, FAMILIES, type Family, RUN } from "./families.ts";
import { argumentSteps, type Read, readAs, readBoth } from "./readAs.ts";

const plain = (text: string) => text;
const parsed = (read: Read) => read.calls.map((call) => [call.name, JSON.parse(call.arguments)]);
const edit = ["edit", EDIT];

describe.each(Object.entries(FAMILIES))("%s", (_, family: Family) => {
  const { format, one, two, thought = "", text = plain } = family;
  const reasoning = thought === "" ? "" : "hm";

  test("text", () => {
    for (const said of ["Hello.", "a < b, [1] {x} and <b>bold</b>", "ünï 🙂\n\nlines", '{"json": [1]}']) {
      expect(readBoth(format, thought + text(said))).toEqual({ reasoning, text: said, calls: [] });
    }
  });

  test("one call, two calls, ids of their own", () => {
    expect(readBoth(format, thought + one)).toMatchObject({ reasoning, text: "" });
    expect(parsed(readBoth(format, thought + one))).toEqual([edit]);
    if (two === undefined) return;
    const read = readBoth(format, thought + two);
    expect(read).toMatchObject({ reasoning, text: "" });
    expect(parsed(read)).toEqual([edit, ["run", RUN]]);
    expect(read.calls.map((call) => call.id)).toEqual(["call_1", "call_2"]);
  });

  test("text in front of a call", () => {
    if (format.calls?.bare || format.channels !== null) return;
    const read = readBoth(format, `${thought}${text("Let me see.\n\n")}${one}`);
    expect(read).toMatchObject({ reasoning, text: "Let me see." });
    expect(parsed(read)).toEqual([edit]);
  });

  test("arguments come as they are written", () => {
    const steps = argumentSteps(format, one);
    // More than a few, and not only at the end.
    expect(steps.length).toBeGreaterThan(8);
    expect(steps[0]).toBeLessThan(one.length * 0.7);
  });

  test("cut off anywhere", () => {
    const whole = readAs(format, [one]).calls[0]?.arguments ?? "";
    for (let at = 1; at < one.length; at += 1) {
      const cut = one.slice(0, at);
      const { text: said, calls } = readBoth(format, cut);
      expect(calls.length).toBeLessThan(2);
      const [call] = calls;
      if (call === undefined) {
        // A header says nothing until it addresses a tool.
        if (format.channels === null) expect([cut.trim(), ""]).toContain(said);
        else expect(cut.trim().endsWith(said)).toBe(true);
        continue;
      }
      expect(said).toBe("");
      expect(call.name).toBe("edit");
      // A value that is typed only when it is whole is cut off as the text that it is.
      const same = commonLength(call.arguments, whole);
      expect(call.arguments.length - same).toBeLessThan(40);
    }
  });

  test("a broken mark is text", () => {
    const begin = one.trimStart();
    if (format.channels !== null || format.calls?.bare) return;
    for (const broken of [`${begin.slice(0, 5)} and so on`, `see ${begin.slice(0, 3)}, no?`]) {
      expect(readBoth(format, text(broken))).toEqual({ reasoning: "", text: broken, calls: [] });
    }
  });

  test("without tools a call is text", () => {
    if (format.channels !== null) return;
    const { calls } = readBoth(format, one, { tools: [] });
    expect(calls).toEqual([]);
  });

  test("nested and odd arguments, spelt by the format", () => {
    if (format.calls === null || format.channels !== null) return;
    const args = {
      path: 'it\'s <b> & </parameter> "x" \\n {1} 🙂',
      list: [1, "two, [3]", { a: [true, null] }],
      object: { "key one": { deep: -1.5e3 }, s: 'q"uote' },
      any: "plain",
    };
    const kind = format.calls.arguments.kind;
    // These spell quotes, or a null, as no reader could tell from text.
    const { path, list, object, any } = args;
    const fair =
      kind === "gemma" || kind === "pythonic"
        ? { path: "a <b> & \\ 🙂", list: [1, "two, [3]"], object: { a: 1 }, any }
        : kind === "tree"
          ? { path, list: [1, "two"], object: { deep: { x: 2 } }, any }
          : {
              path:
                kind === "tagged" && /parameter>$/.test(format.calls.arguments.valueEnd)
                  ? "</x> & <b>"
                  : path,
              list,
              object,
              any,
            };
    const call = { name: "edit", id: "abcdefgh1", arguments: objectOf(fair) };
    expect(parsed(readBoth(format, spellCalls(format.calls, [call])))).toEqual([["edit", fair]]);
  });

  test("no arguments", () => {
    if (format.calls === null || format.channels !== null) return;
    const call = { name: "run", id: "abcdefgh1", arguments: objectOf({}) };
    expect(parsed(readBoth(format, spellCalls(format.calls, [call])))).toEqual([["run", {}]]);
  });

  test("reasoning that the prompt has opened", () => {
    const { reasoning: tags, channels } = format;
    if (tags === null || channels !== null) return;
    const reply = `hm${tags.end}${text("Yes.")}`;
    expect(readBoth(format, reply, { opensReasoning: true })).toEqual({
      reasoning: "hm",
      text: "Yes.",
      calls: [],
    });
    expect(readBoth(format, "hm", { opensReasoning: true })).toEqual({
      reasoning: "hm",
      text: "",
      calls: [],
    });
    expect(readBoth(format, `${tags.start}${tags.end}${text("Yes.")}`)).toEqual({
      reasoning: "",
      text: "Yes.",
      calls: [],
    });
  });
});

function commonLength(a: string, b: string): number {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  return same;
}
