/** What is a call, what is thought and what is text where a model does not keep to its form. */
import { describe, expect, test } from "bun:test";
import type { ReplyFormat } from "../../../../src/chat/formats/ReplyFormat.ts";
import { FAMILIES } from "./families.ts";
import { THINK } from "./familyForms.ts";
import { readAs, readBoth, TOOLS } from "./readAs.ts";

/** A family's format with reasoning, and one call of `edit` as it writes it. */
function family(name: string): { readonly format: ReplyFormat; readonly one: string } {
  const found = FAMILIES[name];
  if (found === undefined) throw new Error(name);
  const { format, one } = found;
  return { format: { ...format, reasoning: format.reasoning ?? THINK }, one };
}

/** In which a call has a mark of its own. */
const MARKED = [
  "Hermes and Qwen",
  "Qwen3-Coder",
  "Kimi-K2",
  "DeepSeek V3.1",
  "LFM2, keywords",
  "GLM and Laguna",
  "MiniMax-M2",
];

describe.each(MARKED)("%s: thinking that is not closed", (name) => {
  const { format, one } = family(name);
  const opens = { opensReasoning: true };
  const end = format.reasoning?.end ?? "";
  const mark = one.slice(0, one.indexOf(">") + 1);

  test("a call in it is a call", () => {
    for (const before of ["", "Need it.\n"]) {
      const read = readBoth(format, before + one, opens);
      expect([read.reasoning, read.text, read.calls.map((call) => call.name)]).toEqual([
        before.trim(),
        "",
        ["edit"],
      ]);
    }
    const started = readBoth(format, `${format.reasoning?.start}Need it.${one}`);
    expect([started.reasoning, started.calls.length]).toEqual(["Need it.", 1]);
  });

  test("an end without a start in front of the answer is none of it", () => {
    expect(readBoth(format, `${end}\n\nHello.`)).toEqual({ reasoning: "", text: "Hello.", calls: [] });
    expect(readBoth(format, `\n${end}${one}`)).toMatchObject({ text: "", calls: [{ name: "edit" }] });
  });

  test("a mark that is only spoken of ends nothing", () => {
    const thought = `They emit ${mark} tokens, then ${mark}{ and more.`;
    const read = readBoth(format, `${thought}${end}\n\nHello.`, opens);
    expect(read).toEqual({ reasoning: thought, text: "Hello.", calls: [] });
    const cut = readBoth(format, thought, opens);
    expect(cut).toEqual({ reasoning: thought, text: "", calls: [] });
  });

  test("a call of a tool that may not be called is thought", () => {
    const run = { ...opens, tools: TOOLS.filter((tool) => tool.name === "run") };
    const read = readBoth(format, `Need it.\n${one}`, run);
    expect([read.text, read.calls]).toEqual(["", []]);
    expect(read.reasoning).toStartWith("Need it.");
  });

  test("a call that is thought through, and one behind the thinking", () => {
    const thought = `I could write ${one} here.`;
    const read = readBoth(format, `${thought}${end}\n${one}`, opens);
    expect([read.reasoning, read.text, read.calls.length]).toEqual([thought, "", 1]);
  });

  test("reasoning goes on as it comes behind a mark that turns out to be none", () => {
    const seen = readAs(format, [`a ${mark} `, "is what they write, and then so much more"], opens);
    expect(seen.reasoning).toContain(mark);
    expect(seen.reasoning).toContain("so much more");
  });
});

describe("harmony: who is addressed", () => {
  const { format } = family("harmony");
  const thought = "<|channel|>analysis<|message|>hm<|end|><|start|>assistant";

  test.each<[string, string, { reasoning: string; text: string; calls: readonly string[] }]>([
    [
      "a function",
      `${thought}<|channel|>commentary to=functions.run <|constrain|>json<|message|>{"force": true}`,
      { reasoning: "hm", text: "", calls: ["run"] },
    ],
    [
      "a tool by its bare name",
      `${thought}<|channel|>commentary to=run<|message|>{"force": true}`,
      { reasoning: "hm", text: "", calls: ["run"] },
    ],
    [
      "the model itself, thinking",
      `<|channel|>commentary to=assistant<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hi`,
      { reasoning: "hm", text: "Hi", calls: [] },
    ],
    [
      "the model itself, answering",
      `${thought}<|channel|>commentary to=assistant<|channel|>final<|message|>Hi`,
      { reasoning: "hm", text: "Hi", calls: [] },
    ],
    [
      "a tool that nobody gave",
      `${thought}<|channel|>commentary to=python <|constrain|>code<|message|>print(1)`,
      { reasoning: "hm\nprint(1)", text: "", calls: [] },
    ],
    [
      "another, in front of the channel",
      `${thought} to=container.exec<|channel|>commentary<|message|>ls`,
      { reasoning: "hm\nls", text: "", calls: [] },
    ],
    [
      "the user, in commentary",
      `${thought}<|channel|>commentary<|message|>I will run it.`,
      { reasoning: "hm", text: "I will run it.", calls: [] },
    ],
  ])("%s", (_, reply, wanted) => {
    const read = readBoth(format, reply);
    expect({ ...read, calls: read.calls.map(({ name }) => name) }).toEqual({
      ...wanted,
      calls: [...wanted.calls],
    });
  });

  test("without tools, reasoning and answer alone", () => {
    const reply = `${thought}<|channel|>commentary to=functions.run <|constrain|>json<|message|>{}`;
    expect(readBoth(format, reply, { tools: [] })).toEqual({ reasoning: "hm\n{}", text: "", calls: [] });
  });
});

describe("Gemma: channel tokens are never text", () => {
  const { format, one } = family("Gemma 4");
  const thought = "<|channel>thought\nhm\n<channel|>";

  test.each([
    ["a stray closing token", "Hello<channel|>", "", "Hello"],
    ["another block behind the text", `${thought}Hello${thought}`, "hm\nhm", "Hello"],
    ["an empty one, closed twice", `Hello<|channel>thought\n<channel|><channel|>`, "", "Hello"],
    ["a doubled opener", `<|channel>${thought}Hello`, "hm", "Hello"],
    ["an opener alone", "Hello<|channel> you", "", "Hello you"],
    ["the turn's end", "Hello<turn|>", "", "Hello"],
  ])("%s", (_, reply, reasoning, text) => {
    expect(readBoth(format, reply)).toEqual({ reasoning, text, calls: [] });
  });

  test("a block between two calls", () => {
    const read = readBoth(format, `${thought}${one}${thought}${one}`);
    expect([read.reasoning, read.text, read.calls.length]).toEqual(["hm\nhm", "", 2]);
  });
});

describe("marks that were forgotten, or written otherwise", () => {
  test("Qwen's last closing tag of a parameter", () => {
    const { format } = family("Qwen3-Coder");
    const call = (end: string) => `<tool_call>\n<function=run>\n<parameter=force>\ntrue\n${end}`;
    for (const end of [
      "</function>\n</tool_call>",
      "</function></tool_call>",
      "</function>\n",
      "</parameter>\n</function>",
    ]) {
      expect([end, readBoth(format, call(end)).calls.map((one) => one.arguments)]).toEqual([
        end,
        ['{"force": true}'],
      ]);
    }
    const two = `${call("</function>\n</tool_call>")}\n${call("</function>\n</tool_call>")}`;
    expect(readBoth(format, two).calls.length).toBe(2);
    // Where more of the value follows it is text.
    const text =
      "<tool_call>\n<function=edit>\n<parameter=text>\na </function>\n</tool_call> b\n</parameter>\n</function>\n</tool_call>";
    expect(JSON.parse(readBoth(format, text).calls[0]?.arguments ?? "")).toEqual({
      text: "a </function>\n</tool_call> b",
    });
  });

  test("Seed's, in a value that is a string", () => {
    const { format } = family("Seed-OSS");
    const call = "<seed:tool_call>\n<function=edit>\n<parameter=text>a b\n</function>\n</seed:tool_call>";
    expect(JSON.parse(readBoth(format, call).calls[0]?.arguments ?? "")).toMatchObject({
      text: expect.stringMatching(/^a b\n?$/),
    });
  });

  test("Kimi's sections in the singular, and marks that close nothing", () => {
    const { format, one } = family("Kimi-K2");
    const plain = readBoth(format, `Hi${one}`);
    expect(plain.calls.length).toBe(1);
    const singular = one.replaceAll("tool_calls_section", "tool_call_section");
    for (const reply of [
      `Hi${singular}`,
      `Hi<|tool_call_section_end|>${one}`,
      `Hi${one}<|tool_calls_section_end|>`,
    ]) {
      expect(readBoth(format, reply)).toEqual(plain);
    }
  });
});
