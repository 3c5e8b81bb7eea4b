/** What the doctor says of chat templates: of several families, of one that moves its tools, of one that refuses. */
import { describe, expect, test } from "bun:test";
import type { TemplateReport } from "../../../../src/cli/doctor/DoctorReport.ts";
import { findingsOf } from "../../../../src/cli/doctor/findings.ts";
import { machineReport } from "../../../../src/cli/doctor/machineReport.ts";
import { plainRefusal, templateReport } from "../../../../src/cli/doctor/templateReport.ts";
import { configOf } from "../../../../src/config/Config.ts";
import { parseFlags } from "../../../../src/config/parseFlags.ts";
import { Prompter } from "../../../../src/prompt/Prompter.ts";
import { FakeVocab } from "../../../support/FakeVocab.ts";
import { FAMILIES, type Family } from "../../prompt/families.ts";

function report({ template, vocab: options }: Pick<Family, "template" | "vocab">): TemplateReport {
  const vocab = new FakeVocab(options);
  return templateReport(new Prompter({ template, vocab, today: () => new Date(0) }), vocab, "model");
}

function notes(template: TemplateReport, flags: readonly string[] = []) {
  const config = configOf(parseFlags(["-m", "model.gguf", ...flags], {}), {});
  const rest = { library: null, model: null, memory: null, exactness: null };
  const machine = { ...machineReport(), load: 0, memory_free_bytes: 1, memory_total_bytes: 1 };
  return findingsOf({ schema: 1, version: "0", machine, template, ...rest }, config).filter(
    ({ about }) => about !== "cpu",
  );
}

describe("families", () => {
  test.each(["chatml", "qwen", "llama3", "mistral"] as const)("openers of %s, as text", (name) => {
    const { openers, user_openers } = report(FAMILIES[name]);
    expect([...openers].sort()).toEqual([...FAMILIES[name].openers].sort());
    expect(user_openers).toEqual([FAMILIES[name].user]);
  });

  test("what the next turn keeps: all of it, or no reasoning behind the next user message", () => {
    expect(report(FAMILIES.chatml).next_turn).toMatchObject({
      keeps_reasoning_in_tool_loop: true,
      keeps_reasoning_after_user: true,
      tools_move: false,
    });
    const { next_turn, reasoning, calls } = report(FAMILIES.qwen);
    expect(next_turn).toMatchObject({
      keeps_reasoning_in_tool_loop: true,
      keeps_reasoning_after_user: false,
      tools_move: false,
    });
    // The loop's reasoning goes when the user speaks.
    expect(next_turn.cases.filter((one) => !one.keeps_prompt).map((one) => one.next)).toEqual([
      "user, after a tool loop",
    ]);
    expect(next_turn.cases.every(({ warmed }) => warmed)).toBe(true);
    expect(reasoning).toEqual({ start: "<think>", end: "</think>" });
    expect(calls).toMatchObject({
      how: "inferred",
      in_template: true,
      example: '<tool_call>\n{"name": "NAME", "arguments": {"KEY": "VALUE"}}\n</tool_call>',
      read: { oneCall: "exact" },
    });
  });

  test("without special tokens: a note", () => {
    const template = report(FAMILIES.plain);
    expect(template.openers).toEqual([]);
    expect(notes(template)).toMatchObject([
      { level: "note", about: "template", says: expect.stringContaining("by length alone") },
    ]);
  });
});

test("tools that stand in front of the last user message move, and it is said", () => {
  const template = report({
    template: `{{- bos_token }}{%- set ns = namespace(last=-1) %}
{%- for m in messages %}{%- if m.role == 'user' %}{%- set ns.last = loop.index0 %}{%- endif %}{%- endfor %}
{%- for m in messages %}
{%- if m.role == 'user' %}
{%- if tools and loop.index0 == ns.last %}{{- '[AVAILABLE_TOOLS]' + (tools | tojson) + '[/AVAILABLE_TOOLS]' }}{%- endif %}
{{- '[INST]' + m.content + '[/INST]' }}
{%- elif m.role == 'tool' %}{{- '[TOOL_RESULTS]' + m.content + '[/TOOL_RESULTS]' }}
{%- elif m.tool_calls %}{{- '[TOOL_CALLS]' + (m.tool_calls | map(attribute='function') | list | tojson) + eos_token }}
{%- else %}{{- m.content + eos_token }}{%- endif %}
{%- endfor %}`,
    vocab: {
      control: [
        "<s>",
        "</s>",
        "[INST]",
        "[/INST]",
        "[TOOL_CALLS]",
        "[TOOL_RESULTS]",
        "[/TOOL_RESULTS]",
      ].concat(["[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"]),
      bos: "<s>",
      eos: "</s>",
      addBos: true,
    },
  });
  expect(template.next_turn.tools_move).toBe(true);
  expect(template.next_turn.cases).toMatchObject([
    { next: "user", keeps_prompt: true },
    { next: "user, tools offered", keeps_prompt: false },
    { next: "result", keeps_prompt: true },
    { next: "two results", keeps_prompt: true },
    { next: "user, after a tool loop", keeps_prompt: false },
  ]);
  expect(notes(template).map(({ says }) => says)).toEqual([expect.stringContaining("move with it")]);
});

test("a turn that the template refuses is not warmed: one note for one reason", () => {
  const vocab = { control: ["<|im_start|>", "<|im_end|>"], eos: "<|im_end|>" };
  const template = report({
    template: `{%- for m in messages %}
{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{%- endfor %}
{%- if messages | length > 2 %}{{ raise_exception('One question only') }}{%- endif %}`,
    vocab,
  });
  const unwarmed = template.next_turn.cases.filter(({ warmed }) => !warmed);
  expect(unwarmed.length).toBeGreaterThan(1);
  for (const { why } of unwarmed) expect(why).toContain("One question only");
  expect(notes(template).filter(({ says }) => says.includes("not warmed"))).toHaveLength(1);
});

test("a template that refuses the plainest request says why, and one that does not, nothing", () => {
  const vocab = new FakeVocab();
  const of = (template: string) => plainRefusal(new Prompter({ template, vocab }));
  expect(of("{{ raise_exception('Not today') }}")).toContain("Not today");
  expect(of("{% for m in messages %}{{ m.content }}{% endfor %}")).toBeUndefined();
});

test("with --warm off nothing is warmed, which is a note", () => {
  expect(notes(report(FAMILIES.chatml), ["--warm", "off"])).toMatchObject([{ says: "Warming is off." }]);
});
