/** Message openers, learnt from templates of each family and from every real template at hand. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message, Tool } from "../../../../src/chat/Message.ts";
import type { JsonObject } from "../../../../src/json/json.ts";
import { fromPlain } from "../../../../src/json/plainJson.ts";
import { requestChunks } from "../../../../src/plan/requestChunks.ts";
import { Prompter } from "../../../../src/prompt/Prompter.ts";
import { FakeVocab } from "../../../support/FakeVocab.ts";
import { FAMILIES, FAMILY_NAMES, family as familyOf, vocabOf } from "../families.ts";

const show = (vocab: FakeVocab, tokens: readonly number[]) => vocab.show(tokens).replace(/[«»]/g, "");

describe.each(FAMILY_NAMES)("%s", (name) => {
  const family = familyOf(name);
  const vocab = vocabOf(name);
  const prompter = new Prompter({ template: family.template, vocab });

  test("openers are the special tokens that start a message", () => {
    const texts = prompter.openers.map((opener) => show(vocab, opener)).sort();
    expect(texts).toEqual([...family.openers].sort());
  });

  test("the user opener is as long as it is stable", () => {
    expect(prompter.userOpeners.map((opener) => show(vocab, opener))).toEqual(
      family.user === "" ? [] : [family.user],
    );
  });

  test("every user message of a prompt is found, and no reply or tool result", () => {
    if (family.user === "") return;
    const words = " word".repeat(40);
    const said = (role: "user" | "assistant", text: string): Message =>
      role === "user"
        ? { role, content: text + words }
        : { role, content: text + words, reasoning: "", toolCalls: [] };
    const messages = [
      said("user", "\n\nA"),
      said("assistant", "B"),
      said("user", "C"),
      said("assistant", "D"),
    ];
    const { tokens } = prompter.tokens(
      { messages, tools: [], kwargs: new Map() },
      { addGenerationPrompt: false },
    );
    const rules = { ...prompter, chunkTokensMin: 8, chunkTokensMax: 4096, tripTokensMin: 0 };
    const { keep } = requestChunks(tokens, rules, 0n);
    const start = keep.find(({ reason }) => reason === "user-start")?.cut ?? -1;
    const opener = family.user.trimEnd();
    expect(show(vocab, [...tokens.slice(start)])).toStartWith(opener);
    expect(show(vocab, [...tokens.slice(start)])).toContain("C word");
    expect(show(vocab, [...tokens.slice(start)])).not.toContain("B word");
  });
});

test("a tool result opens longer than a user message where it stands in one", () => {
  const vocab = vocabOf("qwen");
  const prompter = new Prompter({ template: FAMILIES.qwen.template, vocab });
  const others = prompter.otherOpeners.map((opener) => show(vocab, opener));
  expect(others).toContain("<|im_start|>user\n<tool_response>");
});

test("a BOS that is the opener itself is one, also behind a system prompt that nobody sent", () => {
  const vocab = new FakeVocab({ ...FAMILIES.chatml.vocab, bos: "<|im_start|>" });
  const preamble =
    "{%- if messages[0].role != 'system' %}{{- '<|im_start|>system\\nBe kind.<|im_end|>\\n' }}{%- endif %}";
  const prompter = new Prompter({ template: preamble + FAMILIES.chatml.template, vocab });
  expect(prompter.openers).toEqual([[vocab.idOf("<|im_start|>")]]);
});

test("a template that opens a reply unasked keeps its opener", () => {
  const template = `${FAMILIES.chatml.template.replaceAll("{%- if add_generation_prompt %}", "{%- if true %}")}`;
  const vocab = vocabOf("chatml");
  const prompter = new Prompter({ template, vocab });
  expect(prompter.openers).toEqual([[vocab.idOf("<|im_start|>")]]);
});

/** Names of what is kept, with the text that begins there. */
function keptStarts(template: string, vocab: FakeVocab, messages: readonly Message[]): Map<string, string> {
  const prompter = new Prompter({ template, vocab });
  const tool: Tool = {
    name: "run",
    definition: fromPlain({ type: "function", function: { name: "run", parameters: {} } }) as JsonObject,
  };
  const { tokens } = prompter.tokens(
    { messages, tools: [tool], kwargs: new Map() },
    { addGenerationPrompt: false },
  );
  const rules = { ...prompter, chunkTokensMin: 8, chunkTokensMax: 4096, tripTokensMin: 0 };
  const { keep } = requestChunks(tokens, rules, 0n);
  return new Map(keep.map(({ reason, cut }) => [reason, show(vocab, [...tokens.slice(cut)])]));
}

const TALK: readonly Message[] = [
  { role: "user", content: "The first question" },
  { role: "assistant", content: "The first answer", reasoning: "", toolCalls: [] },
  { role: "user", content: "The second question" },
  { role: "assistant", content: "The second answer", reasoning: "", toolCalls: [] },
];

test("tools that move to the last user message are kept in front of", () => {
  const vocab = new FakeVocab({
    control: ["<s>", "</s>", "[INST]", "[/INST]", "[TOOLS]", "[/TOOLS]"],
    bos: "<s>",
    eos: "</s>",
  });
  const template =
    "<s>{%- set ns = namespace(last=-1) %}{%- for m in messages %}{%- if m.role == 'user' %}{%- set ns.last = loop.index0 %}{%- endif %}{%- endfor %}" +
    "{%- for m in messages %}{%- if m.role == 'user' %}{%- if tools and loop.index0 == ns.last %}[TOOLS]{{ tools | tojson }}[/TOOLS]{%- endif %}[INST]{{ m.content }}[/INST]{%- else %}{{ m.content }}</s>{%- endif %}{%- endfor %}";
  const kept = keptStarts(template, vocab, TALK);
  expect(kept.get("user-start")).toStartWith("[TOOLS]");
  expect(new Prompter({ template, vocab }).userPrefaces).toEqual([[vocab.idOf("[TOOLS]")]]);
});

test("a role in front of its mark is told by what closed the message before", () => {
  const vocab = new FakeVocab({ control: ["<s>", "<|role|>", "<|sep|>"], bos: "<s>", eos: "<|sep|>" });
  const template =
    "<s>{%- for m in messages %}{{ m.role }}<|role|>\n{{ m.content }}<|sep|>\n\n{%- endfor %}{%- if add_generation_prompt %}assistant<|role|>\n{%- endif %}";
  const kept = keptStarts(template, vocab, TALK);
  expect(kept.get("user-start")).toStartWith("<|role|>\nThe second question");
  expect(kept.get("user-end")).toStartWith("<|role|>\nThe second answer");
});

const TEMPLATES = join(import.meta.dir, "../../../../../shared/templates");
const SPELLED =
  /<[|｜][^<>\s'"{}]*[|｜]>|<\/?[a-z_:]+>|\[\/?[A-Z_]+\]|<\|[a-z_]+>|<[a-z_]+\|>|\]~b\]|\[e~\[|<SPECIAL_\d+>/g;
/** Known gaps: no special token at all; the engine lacks integer keys; needs `functions` and `datetime`. */
const WITHOUT_OPENERS = ["llama-cpp-rwkv-world"];

if (existsSync(TEMPLATES)) {
  test("real templates: openers are learnt for all but those known not to", () => {
    const without: string[] = [];
    for (const file of readdirSync(TEMPLATES).filter((one) => one.endsWith(".jinja"))) {
      const template = readFileSync(join(TEMPLATES, file), "utf8");
      const spelled = new Set([
        "<|BOS|>",
        "<|EOS|>",
        ...Array.from(template.matchAll(SPELLED), ([text]) => text),
      ]);
      const isControl = (text: string) => /[|｜[\]]|_of_|SPECIAL|seed:.os/.test(text);
      const isUserDefined = (text: string) =>
        !isControl(text) && /think|tool|response|user|assistant|system/.test(text);
      const vocab = new FakeVocab({
        control: [...spelled].filter(isControl),
        userDefined: [...spelled].filter(isUserDefined),
        bos: "<|BOS|>",
        eos: "<|EOS|>",
      });
      const { openers } = new Prompter({ template, vocab });
      if (openers.length === 0) without.push(file.replace(".jinja", ""));
      for (const opener of openers) {
        expect(show(vocab, opener), file).not.toMatch(
          /im_end|eot_id|end_of_turn|END_OF|\/INST|<\/tool_call>/,
        );
      }
    }
    expect(without.sort()).toEqual(WITHOUT_OPENERS);
  });
} else {
  console.warn(`SKIPPED: openers of real templates, which are not at ${TEMPLATES}`);
}
