/** Formats inferred from small templates written for these tests, and from all the real ones beside the project. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FormatVerdict } from "../../../../src/chat/formats/testFormat.ts";
import { Prompter } from "../../../../src/prompt/Prompter.ts";
import { FakeVocab } from "../../../support/FakeVocab.ts";
import { readBoth } from "./readAs.ts";

const SPECIAL = /<\|[^|<>\s']+\|>|<｜[^｜<>]+｜>|<\|[^|<>\s']+>|<[a-z_]+\|>|\[\/?[A-Z][A-Z_]+\]/g;

function studied(template: string) {
  const spelled = new Set(["<bos>", "<eos>", ...(template.match(SPECIAL) ?? [])]);
  const vocab = new FakeVocab({ control: [...spelled], bos: "<bos>", eos: "<eos>" });
  return new Prompter({ template, vocab, today: () => new Date(0) }).dialect.reply;
}

/** A ChatML template whose assistant message holds `calls`, a piece of template that sees `message`. */
function chatml(calls: string, thinking = ""): string {
  return `{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' }}
${thinking}
{{- message.content or '' }}
{%- if message.tool_calls %}${calls}{%- endif %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;
}

describe("small templates", () => {
  test("a list of objects with the id behind", () => {
    const calls = `{{- '<calls>[' }}{%- for c in message.tool_calls %}
{{- '{"name": "' + c.function.name + '", "parameters": ' + (c.function.arguments | tojson) + ', "id": "' + c.id + '"}' }}
{%- if not loop.last %}{{- ', ' }}{%- endif %}{%- endfor %}{{- ']</calls>' }}`;
    const { how, format, test: run } = studied(chatml(calls));
    expect(how).toBe("inferred");
    expect(run()).toEqual({ oneCall: "exact", nestedArguments: "exact", twoCalls: "exact" });
    expect(format.calls).toMatchObject({
      shape: "json",
      sectionStart: "<calls>[",
      separator: ", ",
      sectionEnd: "]</calls>",
      several: true,
      bare: false,
    });
  });

  test("tags by kind of value, a running index", () => {
    const calls = `{{- '<all>\\n' }}{%- for c in message.tool_calls %}
{{- '<do what="' + c.function.name + '" nr="' + loop.index0 | string + '">\\n' }}
{%- for k, v in c.function.arguments.items() %}
{{- '<arg name="' + k + '" text="' + ('yes' if v is string else 'no') + '">' + (v if v is string else v | tojson) + '</arg>\\n' }}
{%- endfor %}{{- '</do>\\n' }}{%- endfor %}{{- '</all>' }}`;
    const { how, format, test: run } = studied(chatml(calls));
    expect(how).toBe("inferred");
    expect(run()).toEqual({ oneCall: "exact", nestedArguments: "exact", twoCalls: "exact" });
    expect(format.calls?.parts).toContainEqual({ slot: "index", from: 0 });
    expect(format.calls?.arguments).toMatchObject({ textKeyEnd: '" text="yes">', keyEnd: '" text="no">' });
  });

  test("a section that only several calls close is closed behind each reply's last", () => {
    const calls = `{{- '<|all|>' }}{%- for c in message.tool_calls %}
{{- '<|one|>' + c.function.name + '<|of|>' + (c.function.arguments | tojson) + '<|done|>' }}
{%- endfor %}{%- if message.tool_calls | length > 1 %}{{- '<|all done|>' }}{%- endif %}`;
    const { how, format, test: run } = studied(chatml(calls));
    expect([how, format.calls?.sectionEnd]).toEqual(["inferred", "<|all done|>"]);
    expect(run()).toEqual({ oneCall: "read", nestedArguments: "read", twoCalls: "exact" });
  });

  test("a bare object is no format for text that only looks like one", () => {
    const calls = `{{- '{"name": "' + message.tool_calls[0].function.name + '", "arguments": ' + (message.tool_calls[0].function.arguments | tojson) + '}' }}`;
    const { how, format } = studied(chatml(calls));
    expect(how).toBe("inferred");
    expect(format.calls).toMatchObject({ bare: true, several: false });
  });

  const each = (body: string, between = "") =>
    `{%- for c in message.tool_calls %}${body}{%- if not loop.last %}{{- '${between}' }}{%- endif %}{%- endfor %}`;
  const keywords = `{{- c.function.name + '(' }}{%- for k, v in c.function.arguments.items() %}
{{- k + '=' + (v | tojson) }}{%- if not loop.last %}{{- ', ' }}{%- endif %}{%- endfor %}{{- ')' }}`;
  const named = (name: string, args: string) =>
    `{{- '{"${name}": "' + c.function.name + '", "${args}": ' + (c.function.arguments | tojson) + '}' }}`;

  const cases: readonly (readonly [string, string, FormatVerdict, boolean])[] = [
    [
      "a bare list of objects",
      `{{- '[' }}${each(named("name", "arguments"), ", ")}{{- ']' }}`,
      "exact",
      true,
    ],
    ["a bare list of keyword calls", `{{- '[' }}${each(keywords, ", ")}{{- ']' }}`, "read", true],
    ["keyword calls on lines", `{{- '<calls>' }}${each(keywords, "\\n")}{{- '</calls>' }}`, "read", false],
    ["the API's own form", "{{- '<calls>' + (message.tool_calls | tojson) + '</calls>' }}", "exact", false],
    ["the API's own form without a mark", "{{- message.tool_calls | tojson }}", "exact", true],
    ["the same, indented", "{{- message.tool_calls | tojson(indent=2) }}", "read", true],
    [
      "a fence",
      each(`{{- '\`\`\`call\\n' }}${named("tool", "input")}{{- '\\n\`\`\`' }}`, "\\n"),
      "exact",
      false,
    ],
  ];
  for (const [name, calls, verdict, bare] of cases) {
    test(name, () => {
      const { how, format, test: run } = studied(chatml(calls));
      expect(how).toBe("inferred");
      expect(run()).toEqual({ oneCall: verdict, nestedArguments: verdict, twoCalls: verdict });
      expect(format.calls?.bare).toBe(bare);
    });
  }

  test("a name on a line of its own, in a message for each call", () => {
    const {
      how,
      format,
      test: run,
    } = studied(
      `{%- for m in messages %}{%- for c in m.tool_calls or [] %}{{- '<|assistant|>' + c.function.name + '\\n' + (c.function.arguments | tojson) }}
{%- else %}{{- '<|' + m.role + '|>\\n' + m.content }}{%- endfor %}{%- endfor %}{%- if add_generation_prompt %}{{- '<|assistant|>' }}{%- endif %}`,
    );
    expect(how).toBe("inferred");
    expect(run()).toEqual({ oneCall: "exact", nestedArguments: "exact", twoCalls: "none" });
    expect(format.calls?.bare).toBe(true);
    const call = { id: "call_1", name: "run", arguments: '{"force": true}' };
    expect(readBoth(format, 'run\n{"force": true}')).toEqual({ reasoning: "", text: "", calls: [call] });
    for (const text of ["run\naway", "walk\n{}", 'run {"force": true}', "run", "I run.\nrun\n{}"]) {
      expect(readBoth(format, text)).toEqual({ reasoning: "", text, calls: [] });
    }
  });

  test("the API's own form is a call only with a known name", () => {
    const { format } = studied(chatml("{{- message.tool_calls | tojson }}"));
    const spelt = (name: string) =>
      `[{"id": "abc", "type": "function", "function": {"name": "${name}", "arguments": {"force": true}}}]`;
    expect(readBoth(format, spelt("run")).calls).toEqual([
      { id: "call_1", name: "run", arguments: '{"force": true}' },
    ]);
    for (const text of [spelt("walk"), '[{"id": 1}]', '{"type": "function"}', '[{"id": "abc", "na']) {
      expect(readBoth(format, text)).toEqual({ reasoning: "", text, calls: [] });
    }
  });

  test("a template that refuses to end in a reply is asked with a user message behind it", () => {
    const refuses = `{%- if messages[-1].role == 'assistant' %}{{- raise_exception('no') }}{%- endif %}`;
    const calls = each(`{{- '<|call|>' }}${named("name", "arguments")}{{- '<|/call|>' }}`);
    const { how, format, test: run } = studied(refuses + chatml(calls));
    expect([how, format.calls?.sectionStart ?? format.calls?.parts[0]]).toEqual(["inferred", ""]);
    expect(run()).toEqual({ oneCall: "exact", nestedArguments: "exact", twoCalls: "exact" });
  });

  test("marks around text are no part of it; a reply's own end is none of them", () => {
    const { format } = studied(
      `{%- for m in messages %}{{- '<|turn|>' + m.role + ':' }}
{%- if m.role == 'assistant' %}{{- '<|say|>' + m.content + '<|said|>' }}{%- else %}{{- m.content }}{%- endif %}
{{- '<eos>' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|turn|>assistant:' }}{%- endif %}`,
    );
    expect(format.textMarks).toEqual(["<|say|>", "<|said|>"]);
    expect(studied(chatml("").replaceAll("<|im_end|>", "<eos>")).format.textMarks).toEqual([]);
  });

  test("no calls rendered: the usual form", () => {
    expect(studied(chatml("")).how).toBe("usual");
  });

  test("the tags of reasoning", () => {
    const thinking =
      "{%- if message.reasoning_content %}{{- '<muse>' + message.reasoning_content + '</muse>' }}{%- endif %}";
    expect(studied(chatml("", thinking)).format.reasoning).toEqual({ start: "<muse>", end: "</muse>" });
  });
});

const folder = join(import.meta.dir, "../../../../../shared/templates");
const present = existsSync(folder);
if (!present) console.warn("SKIPPED: formats of real templates: there is no ../shared/templates");

/** What no format can spell or read, and why. */
const EXCEPTIONS: readonly [marks: string, why: string][] = [
  ["<|channel|>analysis", "history is not what the model writes"],
  ["Action:\\n```json", "nested arguments are indented"],
  [">>>all", "the render has no line break between two calls"],
  [" to=self", "two calls are two addressed messages"],
  ["'<｜tool▁call▁end｜>'}}{{'<｜tool▁calls▁end｜>", "one call's section is not closed"],
];

describe.skipIf(!present)("real templates", () => {
  for (const file of present ? readdirSync(folder).filter((name) => name.endsWith(".jinja")) : []) {
    const source = readFileSync(join(folder, file), "utf8");
    test(file, () => {
      const result = studied(source).test();
      const excepted = EXCEPTIONS.some(([marks]) => source.includes(marks));
      for (const [what, verdict] of Object.entries(result)) {
        const wanted = excepted ? ["exact", "read", "none"] : ["exact", "none"];
        expect([what, wanted.includes(verdict) ? "held" : verdict]).toEqual([what, "held"]);
      }
    });
  }
});
