/** Every family's replies in the form that its model writes, whole and a character at a time. */
import { describe, expect, test } from "bun:test";
import { USUAL_FORMAT } from "../../../../src/chat/formats/ReplyFormat.ts";
import { objectOf } from "../../../../src/chat/formats/ReplyTrial.ts";
import { spellCalls } from "../../../../src/chat/formats/spellCalls.ts";
import { FAMILIES } from "./families.ts";
import { EDIT, type Family, RUN } from "./familyForms.ts";
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

describe("what models write beside their form", () => {
  const read = (name: string, reply: string) =>
    parsed(readBoth(FAMILIES[name]?.format ?? USUAL_FORMAT, reply));

  test("a wrapper or section that was left out", () => {
    const coder = "<function=run>\n<parameter=force>\ntrue\n</parameter>\n</function>";
    expect(read("Qwen3-Coder", coder)).toEqual([["run", RUN]]);
    expect(read("Qwen3-Coder", `${coder}\n</tool_call>`)).toEqual([["run", RUN]]);
    const kimi =
      '<|tool_call_begin|>functions.run:0<|tool_call_argument_begin|>{"force": true}<|tool_call_end|>';
    expect(read("Kimi-K2", kimi)).toEqual([["run", RUN]]);
    expect(read("Kimi-K2", kimi.replace("functions.", ""))).toEqual([["run", RUN]]);
    expect(read("Kimi-K2", kimi.replace(":0", ""))).toEqual([["run", RUN]]);
    expect(read("Mistral v13", '[TOOL_CALLS]run[ARGS]{"force": true}')).toEqual([["run", RUN]]);
  });

  test("JSON between tags of another form", () => {
    const json = '{"name": "run", "arguments": {"force": true}}';
    expect(read("Qwen3-Coder", `<tool_call>\n${json}\n</tool_call>`)).toEqual([["run", RUN]]);
    expect(read("GLM and Laguna", `<tool_call>${json}</tool_call>`)).toEqual([["run", RUN]]);
    expect(read("Mistral v11", `[TOOL_CALLS][${json}]`)).toEqual([["run", RUN]]);
  });

  test("all on one line", () => {
    const line = "<tool_call><function=run><parameter=force>true</parameter></function></tool_call>";
    expect(read("Qwen3-Coder", line)).toEqual([["run", RUN]]);
    expect(
      read("GLM and Laguna", "<tool_call>run<arg_key>force</arg_key><arg_value>true</arg_value></tool_call>"),
    ).toEqual([["run", RUN]]);
    expect(read("GLM and Laguna", "<tool_call>run</tool_call>")).toEqual([["run", {}]]);
  });

  test("reasoning that a call leaves open, or that is opened twice", () => {
    const { format, one } = FAMILIES["Kimi-K2"] ?? { format: USUAL_FORMAT, one: "" };
    const left = readBoth(format, `hm ${one}`, { opensReasoning: true });
    expect([left.reasoning, parsed(left)]).toEqual(["hm", [edit]]);
    const twice = readBoth(format, "<think>hm</think>so", { opensReasoning: true });
    expect([twice.reasoning, twice.text]).toEqual(["hm", "so"]);
  });

  test("strings that JSON does not allow are mended", () => {
    const raw = '<tool_call>{"name": "edit", "arguments": {"text": "a\nb\tc \\d \\u00e9"}}</tool_call>';
    expect(read("Hermes and Qwen", raw)).toEqual([["edit", { text: "a\nb\tc \\d é" }]]);
  });

  test("bare text is typed by the schema", () => {
    const value = (key: string, text: string) =>
      read("Qwen3-Coder", `<function=edit>\n<parameter=${key}>\n${text}\n</parameter>\n</function>`)[0]?.[1];
    expect(value("text", "3")).toEqual({ text: "3" });
    expect(value("text", '"quoted"')).toEqual({ text: '"quoted"' });
    expect(value("text", "\n indented\n")).toEqual({ text: "\n indented\n" });
    expect(value("line", "3")).toEqual({ line: 3 });
    expect(value("line", "null")).toEqual({ line: null });
    expect(value("line", "three")).toEqual({ line: "three" });
    expect(value("maybe", "null")).toEqual({ maybe: null });
    expect(value("maybe", "12")).toEqual({ maybe: "12" });
    expect(value("list", "['a', {'b': None}]")).toEqual({ list: ["a", { b: null }] });
    expect(value("any", "true")).toEqual({ any: true });
    expect(value("any", "words and 'so on'")).toEqual({ any: "words and 'so on'" });
    expect(value("text", "it ends </parameter> here")).toEqual({ text: "it ends </parameter> here" });
  });

  test("a bare object is a call only with a known name, and only at the start", () => {
    const { format } = FAMILIES["Llama 3, JSON"] ?? { format: USUAL_FORMAT };
    for (const text of [
      '{"name": "Bob", "parameters": {"a": 1}}',
      'So: {"name": "run", "parameters": {}}',
      '{"a": 1}',
      "[1, 2]",
    ]) {
      expect(readBoth(format, text)).toEqual({ reasoning: "", text, calls: [] });
    }
    expect(read("Llama 3, JSON", '<|python_tag|>{"name": "run", "parameters": {"force": true}}')).toEqual([
      ["run", RUN],
    ]);
  });

  test("harmony: commentary to nobody is text, a header that was cut off says nothing", () => {
    const { format } = FAMILIES["harmony"] ?? { format: USUAL_FORMAT };
    const reply =
      "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|chan";
    expect(readBoth(format, reply)).toEqual({ reasoning: "hm", text: "I look.", calls: [] });
    expect(readBoth(format, "no header at all")).toEqual({
      reasoning: "",
      text: "no header at all",
      calls: [],
    });
  });

  test("text that goes on from the client's keeps its first white space", () => {
    for (const name of ["Hermes and Qwen", "harmony", "muse", "functionary v3.2"]) {
      const { format } = FAMILIES[name] ?? { format: USUAL_FORMAT };
      expect(readAs(format, [" and ", "so on\n"], { continues: "text" }).text).toBe(" and so on");
    }
  });
});

function commonLength(a: string, b: string): number {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  return same;
}
