/** From messages to tokens: what the host hands to a template, BOS, dates, refusals, and what is tokenised. */
import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/AppError.ts";
import type { AssistantMessage, Message, PromptInput, Tool } from "../../../src/chat/Message.ts";
import type { Json, JsonObject } from "../../../src/json/json.ts";
import { parseJson } from "../../../src/json/parseJson.ts";
import { Prompter } from "../../../src/prompt/Prompter.ts";
import { FakeVocab } from "../../support/FakeVocab.ts";
import { FAMILIES, type FamilyName, vocabOf } from "./families.ts";

const user = (content: string): Message => ({ role: "user", content });
const reply = (content: string, reasoning = ""): AssistantMessage => ({
  role: "assistant",
  content,
  reasoning,
  toolCalls: [],
});
const json = (text: string): JsonObject => {
  const value = parseJson(text);
  if (!(value instanceof Map)) throw new Error("no object");
  return value;
};
const call = (args: string): AssistantMessage => ({
  ...reply(""),
  toolCalls: [{ id: "call_00000001", name: "f", arguments: args.startsWith("{") ? json(args) : args }],
});
const result: Message = { role: "tool", content: "ok", toolCallId: "call_00000001", name: "f" };
const input = (
  messages: readonly Message[],
  more: { readonly tools?: readonly Tool[]; readonly kwargs?: Readonly<Record<string, Json>> } = {},
): PromptInput => ({
  messages,
  tools: more.tools ?? [],
  kwargs: new Map<string, Json>(Object.entries({ enable_thinking: true, ...more.kwargs })),
});

function prompterOf(template: string, vocab = vocabOf("chatml"), today?: () => Date): Prompter {
  return new Prompter({ template, vocab, ...(today === undefined ? {} : { today }) });
}
const family = (name: FamilyName, vocab = vocabOf(name)) => prompterOf(FAMILIES[name].template, vocab);

function text(prompter: Prompter, vocab: FakeVocab, prompt: PromptInput, addGenerationPrompt = true): string {
  return vocab.show(prompter.tokens(prompt, { addGenerationPrompt }).tokens).replace(/[«»]/g, "");
}

test("a form is filled in by one pass, nothing in front; what is put there is plain, what the form spells is not", () => {
  const vocab = vocabOf("chatml");
  const prompter = family("chatml", vocab);
  const form = "<|im_start|>{query}|{document}|{other}<|im_end|>";
  const query = "{document} <|im_start|>";
  const tokens = [...prompter.filledTokens(form, { query, document: "d<|im_end|>" })];
  const [start, end] = [vocab.idOf("<|im_start|>"), vocab.idOf("<|im_end|>")];
  const text = `${query}|d<|im_end|>|{other}`;
  expect(tokens).toEqual([start, ...vocab.tokenise(text, false), end]);
  const most = 8;
  expect(() => prompter.filledTokens(form, { query: "x".repeat(4096), document: "" }, most)).toThrow(
    AppError,
  );
});

describe("arguments", () => {
  const ODD = '{"b": 2.0, "10": 1e-7, "2": 12345678901234567890, "a": {"z": [1, -0.50]}}';

  test("numbers keep their spelling and integer-like keys their place, as an object", () => {
    const vocab = vocabOf("chatml");
    expect(text(family("chatml", vocab), vocab, input([user("u"), call(ODD), result]))).toContain(
      `"arguments": ${ODD}}`,
    );
  });

  test("and computed with, compared and printed on their own", () => {
    const vocab = vocabOf("chatml");
    const template =
      "{%- for m in messages %}{%- for c in m.tool_calls or [] %}{%- set a = c.function.arguments %}" +
      "{{- a.wtkey }}|{{ a.b }}|{{ a.b + 1 if a.b is defined }}|{{ a.b == 2 }}|{{ a['10'] }}|{{ a.b | string }}{%- endfor %}{{ m.role }}{%- endfor %}";
    const prompter = prompterOf(template, vocab);
    expect(text(prompter, vocab, input([call(ODD)]))).toBe("|2.0|3.0|True|1e-7|2.0assistant");
  });

  test("as a string where the template needs one, written as Python writes JSON", () => {
    const vocab = vocabOf("deepseek");
    const prompter = family("deepseek", vocab);
    expect(prompter.dialect.caps.arguments).toBe("string");
    expect(text(prompter, vocab, input([user("u"), call(ODD), result]))).toContain(`<｜tool▁sep｜>${ODD}<`);
  });

  test("what is no object is handed on as sent, or wrapped where the template cannot take it", () => {
    const vocab = vocabOf("chatml");
    expect(text(family("chatml", vocab), vocab, input([user("u"), call("oops")]))).toContain(
      '"arguments": "oops"}',
    );
    const items = prompterOf(
      "{%- for m in messages %}{%- for c in m.tool_calls or [] %}{{- c.function.name }}{%- for k, v in c.function.arguments.items() %}{{- k + '=' + v }}{%- endfor %}{%- endfor %}{%- endfor %}",
      vocab,
    );
    expect(text(items, vocab, input([call("oops")]))).toBe("farguments=oops");
  });
});

describe("what a template is given", () => {
  test("call ids that fit, derived from the id alone", () => {
    const vocab = vocabOf("mistral");
    const prompter = family("mistral", vocab);
    expect(prompter.dialect.caps.callIds).toBe("nine-alphanumerics");
    const shown = text(prompter, vocab, input([user("u"), call("{}"), result]));
    const id = /\[TOOL_RESULTS\] ([A-Za-z0-9]+)\[TOOL_CONTENT\]/.exec(shown)?.[1];
    expect(id).toHaveLength(9);
    const longer = text(prompter, vocab, input([user("a"), reply("b"), user("u"), call("{}"), result]));
    expect(longer).toContain(`[TOOL_RESULTS] ${id}[`);
  });

  test("system text in front of the user's where there is no system role", () => {
    const vocab = vocabOf("gemma");
    expect(text(family("gemma", vocab), vocab, input([{ role: "system", content: "S" }, user("u")]))).toBe(
      "<bos><start_of_turn>user\nS\n\nu<end_of_turn>\n<start_of_turn>model\n",
    );
  });

  test("no tools rather than an empty list, and thinking always said", () => {
    const vocab = vocabOf("chatml");
    const prompter = prompterOf(
      "{{- tools is defined }}|{{ enable_thinking }}|{{ thinking }}|{{ level }}|{{ messages | length }}",
      vocab,
    );
    expect(text(prompter, vocab, input([user("u")], { kwargs: { level: "low" } }))).toBe(
      "False|True|True|low|1",
    );
    const off = input([user("u")], { kwargs: { enable_thinking: false, messages: "no" } });
    expect(text(prompter, vocab, off)).toBe("False|False|False||1");
  });

  test("the clock's date and nothing finer", () => {
    const vocab = vocabOf("chatml");
    const at = (hour: number) =>
      prompterOf(
        "{{- strftime_now('%d %b %Y, %A %B %-d, %H:%M') }}",
        vocab,
        () => new Date(2026, 0, 5, hour, 31),
      );
    expect(text(at(3), vocab, input([user("u")]))).toBe("05 Jan 2026, Monday January 5, 00:00");
    expect(text(at(23), vocab, input([user("u")]))).toBe(text(at(3), vocab, input([user("u")])));
  });

  test("the tool template when there are tools, and the openers of both", () => {
    const vocab = vocabOf("chatml");
    const prompter = new Prompter({
      template: "{%- for m in messages %}{{- '<|im_start|>' + m.content + '<|im_end|>' }}{%- endfor %}",
      toolUseTemplate:
        "{%- for m in messages %}{{- '<tool_response>' + m.content + '<|im_end|>' }}{%- endfor %}",
      vocab,
    });
    const tool: Tool = { name: "f", definition: json('{"type": "function", "function": {"name": "f"}}') };
    expect(text(prompter, vocab, input([user("u")]))).toBe("<|im_start|>u<|im_end|>");
    expect(text(prompter, vocab, input([user("u")], { tools: [tool] }))).toBe("<tool_response>u<|im_end|>");
    expect(prompter.openers.flat().sort()).toEqual(
      [vocab.idOf("<|im_start|>"), vocab.idOf("<tool_response>")].sort(),
    );
  });
});

describe("tokens", () => {
  test("BOS comes once, whoever writes it, and only where the model wants it", () => {
    const starts = (options: { readonly addBos: boolean }, template: string) => {
      const vocab = new FakeVocab({ control: ["<s>", "<|u|>"], bos: "<s>", ...options });
      return text(prompterOf(template, vocab), vocab, input([user("x")]));
    };
    const bare = "{{- '<|u|>' + messages[0].content }}";
    expect(starts({ addBos: true }, bare)).toBe("<s><|u|>x");
    expect(starts({ addBos: true }, `{{- bos_token }}${bare}`)).toBe("<s><|u|>x");
    expect(starts({ addBos: false }, bare)).toBe("<|u|>x");
    expect(starts({ addBos: false }, `{{- bos_token }}${bare}`)).toBe("<s><|u|>x");
  });

  test("a turn tokenises only what is new in it", () => {
    const vocab = vocabOf("chatml");
    const prompter = family("chatml", vocab);
    const history: Message[] = [{ role: "system", content: "s".repeat(20_000) }, user("u".repeat(5_000))];
    const cost = (messages: readonly Message[]) => {
      const before = vocab.tokenised;
      prompter.tokens(input(messages), { addGenerationPrompt: true });
      return vocab.tokenised - before;
    };
    expect(cost(history)).toBeGreaterThan(25_000);
    expect(cost(history)).toBe(0);
    expect(cost([...history, reply("r".repeat(100)), user("next")])).toBeLessThan(200);
  });

  test("opensReasoning where the generation prompt ends inside the reasoning tags", () => {
    const deepseek = family("deepseek");
    expect(deepseek.tokens(input([user("u")]), { addGenerationPrompt: true }).opensReasoning).toBe(true);
    expect(deepseek.tokens(input([user("u")]), { addGenerationPrompt: false }).opensReasoning).toBe(false);
    const qwen = family("qwen");
    expect(qwen.tokens(input([user("u")]), { addGenerationPrompt: true }).opensReasoning).toBe(false);
    const off = input([user("u")], { kwargs: { enable_thinking: false } });
    expect(qwen.tokens(off, { addGenerationPrompt: true }).opensReasoning).toBe(false);
  });

  test("two Prompters built alike agree, whatever each was asked before", () => {
    const one = family("qwen");
    const two = family("qwen");
    two.tokens(input([user("something else")]), { addGenerationPrompt: true });
    const prompt = input([user("u"), { ...call('{"a": 1}'), reasoning: "r" }, result]);
    expect(one.tokens(prompt, { addGenerationPrompt: true })).toEqual(
      two.tokens(prompt, { addGenerationPrompt: true }),
    );
  });
});

describe("the dialect", () => {
  test("reasoning tags, and where reasoning is printed", () => {
    expect(family("qwen").dialect).toMatchObject({
      reasoning: { start: "<think>", end: "</think>" },
      loopReasoning: true,
      oldReasoning: false,
    });
    expect(family("chatml").dialect).toMatchObject({ loopReasoning: true, oldReasoning: true });
    expect(family("llama3").dialect).toMatchObject({ reasoning: null, loopReasoning: false });
  });

  test("a template that prints another field gets reasoning under that name", () => {
    const vocab = vocabOf("chatml");
    const prompter = prompterOf(FAMILIES.chatml.template.replaceAll("reasoning_content", "thinking"), vocab);
    expect(prompter.dialect.caps.reasoningField).toBe("thinking");
    expect(text(prompter, vocab, input([user("u"), reply("t", "why")]), false)).toContain(
      "<think>\nwhy\n</think>",
    );
  });
});

describe("refusals", () => {
  test("a template's own words reach the client as a 400", () => {
    const prompter = prompterOf(
      "{%- for m in messages %}{%- if m.content == 'no' %}{{ raise_exception('Not this.') }}{%- endif %}{{ m.content }}{%- endfor %}",
    );
    try {
      prompter.tokens(input([user("no")]), { addGenerationPrompt: true });
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code: "template-refused", field: "messages" });
      expect(String(error)).toContain("Not this.");
      return;
    }
    throw new Error("was accepted");
  });

  test("so does what the engine cannot do", () => {
    const prompter = prompterOf("{{- messages[0].content | nosuchfilter }}");
    expect(() => prompter.tokens(input([user("u")]), { addGenerationPrompt: true })).toThrow(/nosuchfilter/);
  });

  test("a template that does not parse is one sentence at the start", () => {
    expect(() => prompterOf("{% if %}")).toThrow(/^The chat template does not parse: /);
  });
});
