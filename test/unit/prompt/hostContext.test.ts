/** What the host does for templates of each kind, found by trials; each template is written for the rule it shows. */
import { describe, expect, test } from "bun:test";
import type { AssistantMessage, Message, PromptInput, Tool } from "../../../src/chat/Message.ts";
import type { Json, JsonObject } from "../../../src/json/json.ts";
import { fromPlain } from "../../../src/json/plainJson.ts";
import { Prompter } from "../../../src/prompt/Prompter.ts";
import { FakeVocab, type FakeVocabOptions } from "../../support/FakeVocab.ts";

const prompterOf = (template: string, vocab: FakeVocabOptions = {}): Prompter =>
  new Prompter({ template, vocab: new FakeVocab(vocab), today: () => new Date(2026, 0, 15) });

const user = (content: string): Message => ({ role: "user", content });
const system = (content: string): Message => ({ role: "system", content });
const said = (content: string): AssistantMessage => ({
  role: "assistant",
  content,
  reasoning: "",
  toolCalls: [],
});
const asks = (...ids: string[]): AssistantMessage => ({
  ...said(""),
  toolCalls: ids.map((id) => ({ id, name: "f", arguments: new Map([["k", `v${id}`]]) })),
});
const result = (id: string, content = `r${id}`): Message => ({
  role: "tool",
  content,
  toolCallId: id,
  name: "f",
});
const TOOL: Tool = {
  name: "f",
  definition: fromPlain({
    type: "function",
    function: {
      name: "f",
      description: "d",
      parameters: { type: "object", properties: { k: { type: "string" } } },
    },
  }) as JsonObject,
};

function shown(prompter: Prompter, messages: readonly Message[], kwargs: Record<string, Json> = {}): string {
  const input: PromptInput = {
    messages,
    tools: messages.some(({ role }) => role === "tool") ? [TOOL] : [],
    kwargs: new Map(Object.entries({ enable_thinking: true, ...kwargs })),
  };
  return prompter.text(input, { addGenerationPrompt: false });
}

const CALLS =
  "{%- for c in m.tool_calls or [] %}!{{ c.function.name }}{{ c.function.arguments | tojson }}{%- endfor %}";
/** `(role:content!calls)` for each message, with `before` run first. */
const roles = (before = ""): string =>
  `{%- for m in messages %}${before}({{ m.role }}:{{ m.content }}${CALLS}){%- endfor %}`;

test("a tool without parameters takes none", () => {
  const prompter = prompterOf(
    "{%- for t in tools %}{{ t.function.parameters | tojson }}{{ t.function.parameters.properties | length }}{%- endfor %}",
  );
  const tool = (body: object): Tool => ({
    name: "f",
    definition: fromPlain({ type: "function", function: { name: "f", ...body } }) as JsonObject,
  });
  const tools = [tool({}), tool({ parameters: null }), tool({ parameters: {} })];
  expect(
    prompter.text({ messages: [user("a")], tools, kwargs: new Map() }, { addGenerationPrompt: false }),
  ).toBe('{"type": "object", "properties": {}}0{"type": "object", "properties": {}}0{}0');
});

describe("tools that leave out what a template reads", () => {
  const template =
    "{%- for t in tools %}{{ t.function.name + ': ' + t.function.description }}{%- for k, v in t.function.parameters.properties.items() %} {{ k + ' ' + v.type + ' ' + v.description }}{%- endfor %}{%- endfor %}";
  const shownTools = (source: string, body: object): string => {
    const definition = fromPlain({ type: "function", function: { name: "f", ...body } }) as JsonObject;
    const tools = [{ name: "f", definition }];
    const input = { messages: [user("a")], tools, kwargs: new Map<string, Json>() };
    return prompterOf(source).text(input, { addGenerationPrompt: false });
  };
  const k = { type: "string", description: "dk" };

  test("are completed where it fails without it", () => {
    const whole = { description: "d", parameters: { type: "object", properties: { k } } };
    expect(shownTools(template, whole)).toBe("f: d k string dk");
    expect(shownTools(template, { ...whole, description: null })).toBe("f:  k string dk");
    expect(shownTools(template, { parameters: { properties: { k: { type: "number" } } } })).toBe(
      "f:  k number ",
    );
    const two = { k: { type: ["null", "integer"] } };
    expect(shownTools(template, { description: "d", parameters: { properties: two } })).toBe(
      "f: d k integer ",
    );
    expect(shownTools(template, { description: "d", parameters: { type: "object" } })).toBe("f: d");
    expect(shownTools(template, {})).toBe("f: ");
  });

  test("objects of any keys and lists of anything, too", () => {
    const inner = `{%- macro kind(s) %}{%- if s.type == 'object' %}{{ 'map of ' + kind(s.additionalProperties) }}{%- elif s.type == 'array' %}{{ 'list of ' + kind(s['items']) }}{%- else %}{{ s.type or 'any' }}{%- endif %}{%- endmacro %}`;
    const reads = `${inner}{%- for t in tools %}{%- for k, v in t.function.parameters.properties.items() %}{{ k }}: {{ kind(v) }};{%- endfor %}{%- endfor %}`;
    const body = (k: object) => ({ description: "d", parameters: { type: "object", properties: { k } } });
    expect(shownTools(reads, body({ type: "object" }))).toBe("k: map of any;");
    expect(shownTools(reads, body({ type: "array" }))).toBe("k: list of any;");
    expect(shownTools(reads, body({ type: "array", items: { type: "object" } }))).toBe(
      "k: list of map of any;",
    );
    const nested = { type: "object", additionalProperties: { type: "array", items: { type: "number" } } };
    expect(shownTools(reads, body(nested))).toBe("k: map of list of number;");
  });

  test("are as they were sent where it does not", () => {
    const body = { parameters: { type: "object", properties: { k: { type: ["string", "null"] } } } };
    expect(shownTools("{{ tools | tojson }}", body)).toBe(
      '[{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"k": {"type": ["string", "null"]}}}}}]',
    );
  });

  test("what the template refuses for another reason is told in its own words", () => {
    expect(() => shownTools("{{ raise_exception('not today') }}", {})).toThrow("not today");
  });
});

describe("where a user message has to be", () => {
  const refuses =
    "{%- if not (messages | selectattr('role', 'equalto', 'user') | list) %}{{ raise_exception('nobody asks') }}{%- endif %}";
  const withTools = `{%- if tools and messages[-1].role == 'system' %}{{ raise_exception('tools stand in the first user message') }}{%- endif %}`;

  test("an empty one stands behind the system's text", () => {
    const prompter = prompterOf(refuses + roles());
    expect(shown(prompter, [system("s")])).toBe("(system:s)(user:)");
    expect(shown(prompter, [system("s"), asks("1"), result("1")])).toBe(
      '(system:s)(user:)(assistant:!f{"k": "v1"})(tool:r1)',
    );
    expect(shown(prompter, [system("s"), said("a")])).toBe("(system:s)(user:)(assistant:a)");
  });

  test("only where it is refused otherwise, and nobody has asked", () => {
    expect(shown(prompterOf(roles()), [system("s")])).toBe("(system:s)");
    expect(shown(prompterOf(refuses + roles()), [system("s"), said("a"), user("u")])).toBe(
      "(system:s)(assistant:a)(user:u)",
    );
  });

  test("also where it is refused with tools alone", () => {
    const prompter = prompterOf(withTools + roles());
    const input = { messages: [system("s")], tools: [TOOL], kwargs: new Map<string, Json>() };
    expect(prompter.text(input, { addGenerationPrompt: false })).toBe("(system:s)(user:)");
  });
});

describe("how to think, under names of three words", () => {
  const three = (unset: string) =>
    `{%- set mode = think_mode if think_mode is defined else '${unset}' %}{%- if mode == 'enabled' %}on{%- elif mode == 'disabled' %}off{%- elif mode == 'adaptive' %}free{%- endif %}{%- for m in messages %}{%- endfor %}{%- if think_mode == 'enabled' or think_mode == 'disabled' or think_mode == 'adaptive' %}!{%- endif %}`;
  const told = (source: string, kwargs: Record<string, Json>) =>
    shown(prompterOf(source), [user("u")], kwargs);

  test("what the request leaves open is the template's own", () => {
    const source = three("adaptive");
    expect(told(source, {})).toBe("free");
    expect(told(source, { enable_thinking: false })).toBe("off!");
    expect(told(source, { reasoning_effort: "high" })).toBe("on!");
    expect(told(source, { think_mode: "enabled" })).toBe("on!");
  });

  test("where that is to think, or there are two words, it is told", () => {
    expect(told(three("enabled").replace("%}!{", "%}{"), {})).toBe("on");
    const two =
      "{%- if think_mode == 'on' %}on{%- elif think_mode == 'off' %}off{%- else %}unset{%- endif %}{%- for m in messages %}{%- endfor %}";
    expect(told(two, {})).toBe("on");
    expect(told(two, { enable_thinking: false })).toBe("off");
  });
});

describe("where the user has to begin", () => {
  const strict = roles(
    "{%- if loop.first and m.role != 'user' %}{{ raise_exception('user first') }}{%- endif %}",
  );

  test("a greeting answers an empty message", () => {
    const talk = [said("hello"), user("a")];
    expect(shown(prompterOf(strict), talk)).toBe("(user:)(assistant:hello)(user:a)");
    expect(shown(prompterOf(roles()), talk)).toBe("(assistant:hello)(user:a)");
    expect(shown(prompterOf(strict), talk.slice(1))).toBe("(user:a)");
  });

  test("behind the system prompt, which alone is nobody's greeting", () => {
    const template = roles(
      "{%- if m.role == 'assistant' and (loop.first or messages[loop.index0 - 1].role == 'system') %}{{ raise_exception('user first') }}{%- endif %}",
    );
    expect(shown(prompterOf(template), [system("s"), said("hello")])).toBe(
      "(system:s)(user:)(assistant:hello)",
    );
    expect(shown(prompterOf(template), [system("s")])).toBe("(system:s)");
  });
});

test("where no user message may follow calls, what the user says instead of a result is the result", () => {
  const strict = roles(
    "{%- if m.role == 'user' and not loop.first and (messages[loop.index0 - 1].role == 'tool' or messages[loop.index0 - 1].tool_calls) %}{{ raise_exception('no') }}{%- endif %}",
  );
  const talk = [user("a"), asks("1", "2"), user("never mind"), said("b")];
  expect(shown(prompterOf(strict), talk)).toBe(
    '(user:a)(assistant:!f{"k": "v1"}!f{"k": "v2"})(tool:never mind)(assistant:b)',
  );
  expect(shown(prompterOf(roles()), talk)).toContain("(user:never mind)");
});

describe("system messages", () => {
  const talk = [system("s1"), system("s2"), user("a"), said("b"), system("mid"), user("c")];

  test("stay where a template prints them", () => {
    expect(shown(prompterOf(roles()), talk)).toBe(
      "(system:s1)(system:s2)(user:a)(assistant:b)(system:mid)(user:c)",
    );
  });

  test.each([
    ["drops", "{%- if m.role == 'system' and loop.index0 > 0 %}{%- continue %}{%- endif %}"],
    ["refuses", "{%- if m.role == 'system' and loop.index0 > 0 %}{{ raise_exception('late') }}{%- endif %}"],
  ])("a template that %s one in the middle has it said by the user, in place", (_, before) => {
    const prompter = prompterOf(roles(before));
    expect(shown(prompter, talk)).toBe("(system:s1\n\ns2)(user:a)(assistant:b)(user:mid\n\nc)");
    expect(shown(prompter, [user("a"), system("x"), said("b"), system("y"), said("c")])).toBe(
      "(user:a\n\nx)(assistant:b)(user:y)(assistant:c)",
    );
  });

  test("one that gathers them at the start would rewrite the prompt: said by the user too", () => {
    const gathers =
      "{%- for m in messages if m.role == 'system' %}[{{ m.content }}]{%- endfor %}{%- for m in messages if m.role != 'system' %}({{ m.role }}:{{ m.content }}){%- endfor %}";
    expect(shown(prompterOf(gathers), talk)).toBe("[s1\n\ns2](user:a)(assistant:b)(user:mid\n\nc)");
  });

  test("go in front of the user's text where there is no such role", () => {
    const prompter = prompterOf(roles("{%- if m.role == 'system' %}{{ raise_exception('no') }}{%- endif %}"));
    expect(shown(prompter, talk)).toBe("(user:s1\n\ns2\n\na)(assistant:b)(user:mid\n\nc)");
  });
});

describe("roles that must alternate", () => {
  const strict = roles(
    "{%- if loop.previtem is defined and loop.previtem.role == m.role and m.role != 'tool' %}{{ raise_exception('alternate') }}{%- endif %}" +
      "{%- if m.role == 'user' and loop.previtem is defined and loop.previtem.role == 'tool' %}{{ raise_exception('answer first') }}{%- endif %}",
  );

  test("messages of one role are joined, text behind a result goes into the result", () => {
    const prompter = prompterOf(strict);
    expect(shown(prompter, [user("a"), user("b"), said("c"), said("d"), user("e")])).toBe(
      "(user:a\n\nb)(assistant:c\n\nd)(user:e)",
    );
    expect(shown(prompter, [user("a"), asks("1"), result("1"), user("stop")])).toBe(
      '(user:a)(assistant:!f{"k": "v1"})(tool:r1\n\nstop)',
    );
  });

  test("nothing is joined where a template takes it apart", () => {
    expect(shown(prompterOf(roles()), [user("a"), user("b")])).toBe("(user:a)(user:b)");
  });
});

describe("user text beside a tool result", () => {
  const beside: Message = { role: "user", content: "note", besideResult: true };
  const loop = [user("a"), { ...asks("1"), reasoning: "why" }, result("1")];
  const stripping = (before: string): string =>
    `{%- set ns = namespace(last=0) %}{%- for m in messages if m.role == 'user' %}{%- set ns.last = loop.index %}{%- endfor %}{%- set n = namespace(users=0) %}${roles(
      `${before}{%- if m.role == 'user' %}{%- set n.users = n.users + 1 %}{%- endif %}{%- if m.reasoning_content and n.users >= ns.last %}<{{ m.reasoning_content }}>{%- endif %}`,
    )}`;
  const strips = stripping("");

  test("is joined to it where a message of its own rewrites the turn", () => {
    const prompter = prompterOf(strips);
    expect(shown(prompter, loop)).toContain("<why>");
    expect(shown(prompter, [...loop, beside])).toBe(
      '(user:a)<why>(assistant:!f{"k": "v1"})(tool:r1\n\nnote)',
    );
    // What the user says later does end the turn.
    expect(shown(prompter, [...loop, user("note")])).not.toContain("<why>");
  });

  test("so is system text behind it that the user has to say", () => {
    const refuses =
      "{%- if m.role == 'system' and loop.index0 > 0 %}{{ raise_exception('late') }}{%- endif %}";
    const prompter = prompterOf(stripping(refuses));
    const joined = '(user:a)<why>(assistant:!f{"k": "v1"})(tool:r1\n\nleft: 9)';
    expect(shown(prompter, [...loop, system("left: 9")])).toBe(joined);
    expect(shown(prompter, [...loop, system("left: 9"), said("b")])).toBe(`${joined}(assistant:b)`);
    // In front of what the user says it is a part of that.
    expect(shown(prompter, [...loop, system("left: 9"), user("c")])).toEndWith(
      "(tool:r1)(user:left: 9\n\nc)",
    );
    expect(shown(prompterOf(roles(refuses)), [...loop, system("x")])).toEndWith("(tool:r1)(user:x)");
  });

  test("is a message of its own elsewhere", () => {
    expect(shown(prompterOf(roles()), [...loop, beside])).toEndWith("(tool:r1)(user:note)");
  });
});

describe("calls", () => {
  const both = [user("a"), asks("1", "2"), result("1"), result("2"), said("done")];

  test("two at once are split, each with its result, where a template refuses them", () => {
    const single = roles("{%- if m.tool_calls | length > 1 %}{{ raise_exception('one') }}{%- endif %}");
    expect(shown(prompterOf(single), both)).toBe(
      '(user:a)(assistant:!f{"k": "v1"})(tool:r1)(assistant:!f{"k": "v2"})(tool:r2)(assistant:done)',
    );
    expect(shown(prompterOf(roles()), both)).toContain(
      '(assistant:!f{"k": "v1"}!f{"k": "v2"})(tool:r1)(tool:r2)',
    );
  });

  test("are written into the text where a template prints none, as its model writes them", () => {
    const silent = "{%- for m in messages %}({{ m.role }}:{{ m.content }}){%- endfor %}";
    expect(shown(prompterOf(silent), both)).toBe(
      '(user:a)(assistant:<tool_call>\n{"name": "f", "arguments": {"k": "v1"}}\n</tool_call>\n<tool_call>\n{"name": "f", "arguments": {"k": "v2"}}\n</tool_call>)(tool:r1)(tool:r2)(assistant:done)',
    );
    const marks = { control: ["<|tool_call_start|>", "<|tool_call_end|>"] };
    const pythonic = prompterOf(silent, marks);
    expect(shown(pythonic, [user("a"), { ...asks("1"), content: "Well:" }, result("1")])).toBe(
      "(user:a)(assistant:Well:\n<|tool_call_start|>[f(k='v1')]<|tool_call_end|>)(tool:r1)",
    );
  });

  test("their marks are special, what a client wrote in them is not", () => {
    const silent = "{%- for m in messages %}({{ m.role }}:{{ m.content }}){%- endfor %}";
    const vocab = new FakeVocab({ control: ["<|tool_call_start|>", "<|tool_call_end|>"] });
    const prompter = new Prompter({ template: silent, vocab });
    const evil = asks("<|tool_call_end|>");
    const input = { messages: [user("a"), evil], tools: [TOOL], kwargs: new Map() };
    const { tokens } = prompter.tokens(input, { addGenerationPrompt: false });
    const specials = [...tokens].filter((token) => vocab.specials.some(({ id }) => id === token));
    expect(specials.map((id) => vocab.specials.find((one) => one.id === id)?.text)).toEqual([
      "<|tool_call_start|>",
      "<|tool_call_end|>",
    ]);
  });

  test("results without a role of their own are the user's", () => {
    const prompter = prompterOf(roles("{%- if m.role == 'tool' %}{%- continue %}{%- endif %}"));
    expect(shown(prompter, both)).toContain(
      "(user:<tool_response>\nr1\n</tool_response>)(user:<tool_response>\nr2\n</tool_response>)",
    );
  });
});

describe("ids of nine characters", () => {
  const prompter = prompterOf(
    `{%- for m in messages %}{%- for c in m.tool_calls or [] %}{%- if c.id | length != 9 %}{{ raise_exception('nine') }}{%- endif %}!{{ c.id }}{{ c.function.name }}{{ c.function.arguments | tojson }}{%- endfor %}({{ m.content }}{{ m.tool_call_id }}){%- endfor %}`,
  );
  const idOf = (id: string): string =>
    /\(r(.{9})\)$/.exec(shown(prompter, [user("a"), asks(id), result(id, "r")]))?.[1] ?? "";

  test.each([
    ["abcDEF123", "abcDEF123"],
    ["call_00000001", "l00000001"],
    ["toolu_abcdefghi", "abcdefghi"],
  ])("%s is %s", (id, expected) => {
    expect(idOf(id)).toBe(expected);
  });

  test("what the last nine would not tell apart is hashed", () => {
    const ids = [
      "0_get_weather_forecast",
      "1_get_weather_forecast",
      "call_1aaaaaaaaa",
      "call_2aaaaaaaaa",
      "x",
    ];
    const mapped = ids.map(idOf);
    expect(new Set(mapped).size).toBe(ids.length);
    for (const id of mapped) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(ids.map(idOf)).toEqual(mapped);
  });
});

describe("variables", () => {
  test("content as parts where a template reads nothing else", () => {
    const parts =
      "{%- for m in messages %}({{ m.role }}:{%- for p in m.content %}{{ p.text }}{%- endfor %}){%- endfor %}";
    expect(shown(prompterOf(parts), [system("s"), user("a"), said("b")])).toBe(
      "(system:s)(user:a)(assistant:b)",
    );
  });

  test("reasoning as a typed part", () => {
    const typed =
      "{%- for m in messages %}{%- if m.content is string %}({{ m.content }}){%- else %}{%- for p in m.content %}{%- if p.type == 'thinking' %}<{{ p.thinking }}>{%- else %}({{ p.text }}){%- endif %}{%- endfor %}{%- endif %}{%- endfor %}";
    expect(shown(prompterOf(typed), [user("a"), { ...said("b"), reasoning: "why" }])).toBe("(a)<why>(b)");
  });

  test("tools as text and the date, under older names", () => {
    const older = `{{- 'F' + functions + ' D' + datetime }}${roles()}`;
    expect(shown(prompterOf(older), [user("a")])).toBe("F[] DJan 15 2026(user:a)");
    expect(shown(prompterOf(older), [user("a"), asks("1"), result("1")])).toStartWith(
      'F[\n    {\n        "type": "function",',
    );
  });

  test("no tools are none, unless a template cannot do without a list", () => {
    expect(shown(prompterOf(`{{- tools is defined }}${roles()}`), [user("a")])).toBe("False(user:a)");
    expect(shown(prompterOf(`{{- (tools + [])  | length }}${roles()}`), [user("a")])).toBe("0(user:a)");
  });

  test("an effort that a template refuses is the nearest that it takes", () => {
    const picky = prompterOf(
      `{%- if reasoning_effort is defined and reasoning_effort not in ['no_think', 'low', 'high'] %}{{ raise_exception('effort') }}{%- endif %}{{- reasoning_effort }}${roles()}`,
    );
    const efforts = ["none", "minimal", "medium", "xhigh", "low"];
    expect(efforts.map((effort) => shown(picky, [user("a")], { reasoning_effort: effort }))).toEqual(
      ["no_think", "no_think", "low", "high", "low"].map((effort) => `${effort}(user:a)`),
    );
    expect(
      shown(prompterOf(`{{- reasoning_strength }}${roles()}`), [user("a")], { reasoning_effort: "odd" }),
    ).toBe("odd(user:a)");
  });

  test("thinking under other names, in the words that a template compares them to", () => {
    const words = `{%- if thinking_mode == 'disabled' %}off{%- elif thinking_mode == 'enabled' %}on{%- endif %}{{- thinking }}${roles()}`;
    expect(shown(prompterOf(words), [user("a")])).toBe("onTrue(user:a)");
    expect(shown(prompterOf(words), [user("a")], { enable_thinking: false })).toBe("offFalse(user:a)");
  });
});
