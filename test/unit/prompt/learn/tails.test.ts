/**
 * Templates that print something behind the last message: tools, an instruction, the date. Written for this test, one
 * for each place and spelling; the oracle judges what is kept in front of the tail, under every cut rule and client.
 */
import { expect, test } from "bun:test";
import { checkedTemplate } from "../../../support/templateCheck/CheckedTemplate.ts";
import { keptColumn, predictionColumn } from "../../../support/templateCheck/predictionColumns.ts";

const LAST_USER =
  "{%- set ns = namespace(last=-1) %}{%- for m in messages %}{%- if m.role == 'user' %}{%- set ns.last = loop.index0 %}{%- endif %}{%- endfor %}";
const CALLS =
  "{%- for c in m.tool_calls or [] %}{{- '<tool_call>\\n' + (c.function | tojson) + '\\n</tool_call>' }}{%- endfor %}";

/** `inside`: behind the last user message's text; `behind`: behind all messages. */
function chatml({ inside = "", behind = "" }): string {
  const own = `{%- if m.role == 'user' and loop.index0 == ns.last %}${inside}{%- endif %}`;
  return `${LAST_USER}{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' + (m.content or '') }}${CALLS}${own}{{- '<|im_end|>\\n' }}{%- endfor %}${behind}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;
}

function inst({ inside = "", behind = "" }): string {
  const last = (what: string) => `{%- if loop.index0 == ns.last %}${what}{%- endif %}`;
  return `${LAST_USER}{{- bos_token }}{%- for m in messages %}{%- if m.role == 'user' %}{{- '[INST]' + m.content }}${last(inside)}{{- '[/INST]' }}${last(behind)}{%- elif m.role == 'tool' %}{{- '[TOOL_RESULTS]' + m.content + '[/TOOL_RESULTS]' }}{%- elif m.tool_calls %}{{- '[TOOL_CALLS]' + (m.tool_calls | map(attribute='function') | list | tojson) + eos_token }}{%- else %}{{- m.content + eos_token }}{%- endif %}{%- endfor %}`;
}

const MARKED = "{%- if tools %}{{- '<|tools|>' + (tools | tojson) + '<|end_tools|>' }}{%- endif %}";
const PLAIN = "{%- if tools %}{{- '\\n\\nTools: ' + (tools | tojson) }}{%- endif %}";
const DATE = "{{- '\\n(Today is ' + strftime_now('%d %B %Y') + '.)' }}";
const SYSTEM = "{{- '<|im_start|>system\\nBe short. Think in small steps, then answer.<|im_end|>\\n' }}";

const TEMPLATES = {
  "marked tools behind all": chatml({ behind: MARKED }),
  "marked tools, with the generation prompt only": chatml({
    behind: `{%- if add_generation_prompt %}${MARKED}{%- endif %}`,
  }),
  "plain tools behind all": chatml({ behind: PLAIN }),
  "an instruction as a system message": chatml({ behind: SYSTEM }),
  "the date behind all": chatml({ behind: DATE }),
  "an effort behind all": chatml({ behind: "{{- '<|effort|>' + (reasoning_effort or 'high') }}" }),
  "marked tools in the last user message": chatml({ inside: MARKED }),
  "plain tools in the last user message": chatml({ inside: PLAIN }),
  "the date in the last user message": chatml({ inside: DATE }),
  "tools in front of what closes the user message": inst({
    inside: "{%- if tools %}{{- '[TOOLS]' + (tools | tojson) + '[/TOOLS]' }}{%- endif %}",
  }),
  "tools behind what closes the user message": inst({
    behind: "{%- if tools %}{{- '[TOOLS]' + (tools | tojson) + '[/TOOLS]' }}{%- endif %}",
  }),
  "plain text where nothing closes a message": `{%- for m in messages %}{{- {'user': '<|user|>', 'assistant': '<|bot|>', 'tool': '<|result|>', 'system': '<|system|>'}[m.role] + (m.content or '') }}${CALLS}{%- endfor %}${PLAIN}{%- if add_generation_prompt %}{{- '<|bot|>' }}{%- endif %}`,
};

const TIMEOUT_MS = 60_000;

test.each(Object.entries(TEMPLATES))(
  "the state in front of the tail is kept: %s",
  (name, source) => {
    const { good, of, beyond, problems } = keptColumn.check(checkedTemplate(name, source));
    expect(problems).toEqual([]);
    // Nothing that could be known is prefilled again.
    expect([good, beyond]).toEqual([of, 0]);
    expect(of).toBeGreaterThan(500);
  },
  TIMEOUT_MS,
);

test(
  "the next turn is foreseen as well where a cut stands at a message's end",
  () => {
    const { problems, beyond } = predictionColumn.check(checkedTemplate("", chatml({ inside: MARKED })));
    expect([problems, beyond]).toEqual([[], 0]);
  },
  TIMEOUT_MS,
);

const learnt = (source: string) => {
  const { vocab, prompter } = checkedTemplate("", source);
  const show = (tokens: readonly number[]) => vocab.show(tokens).replace(/[«»]/g, "");
  return {
    openers: prompter.openers.map(show).sort(),
    tails: prompter.tailOpeners.map(show),
  };
};

test("a cut stands where the prompts part: at the tail's mark, at what stands there instead, or at what closes", () => {
  expect(learnt(chatml({ behind: MARKED }))).toEqual({
    openers: ["<|im_start|>", "<|tools|>"],
    tails: ["<|tools|>"],
  });
  expect(learnt(chatml({ inside: MARKED }))).toEqual({
    openers: ["<|im_end|>", "<|im_start|>", "<|tools|>"],
    tails: ["<|tools|>"],
  });
  expect(learnt(chatml({ behind: PLAIN }))).toEqual({
    openers: ["<|im_end|>", "<|im_start|>"],
    tails: ["<|im_end|>\n\n\n"],
  });
});

test("openers are as they were where one stands in front of the tail, or where there is none", () => {
  expect(learnt(chatml({ behind: SYSTEM }))).toEqual({
    openers: ["<|im_start|>"],
    tails: ["<|im_start|>system"],
  });
  expect(learnt(chatml({}))).toEqual({ openers: ["<|im_start|>"], tails: [] });
});
