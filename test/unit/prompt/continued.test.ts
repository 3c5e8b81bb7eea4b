/** Prompts that end inside the assistant's last message: with all families' templates that allow it. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../src/base/AppError.ts";
import type { Message } from "../../../src/chat/Message.ts";
import { Prompter } from "../../../src/prompt/Prompter.ts";
import { FakeVocab } from "../../support/FakeVocab.ts";
import { FAMILIES } from "./families.ts";

function prompter(template: string, vocab: FakeVocab): (last: Message) => { text: string; opens: boolean } {
  const made = new Prompter({ template, vocab, today: () => new Date(0) });
  return (last) => {
    const messages: Message[] = [{ role: "user", content: "A story, please." }, last];
    const part = last.content === "" ? ("reasoning" as const) : ("text" as const);
    const prompt = made.tokens(
      { messages, tools: [], kwargs: new Map([["enable_thinking", true]]) },
      { addGenerationPrompt: false, continues: part },
    );
    const bytes = [...prompt.tokens].map((token) => Buffer.from(vocab.piece(token)));
    return { text: Buffer.concat(bytes).toString(), opens: prompt.opensReasoning };
  };
}

const said = (content: string, reasoning = ""): Message => ({
  role: "assistant",
  content,
  reasoning,
  toolCalls: [],
});

test.each(Object.entries(FAMILIES))(
  "%s: the prompt ends with the text, its last white space included",
  (_, family) => {
    const render = prompter(family.template, new FakeVocab(family.vocab));
    for (const text of ["Once upon", "Once upon a time \n\n ", 'say "hé" <|im_end|> {']) {
      expect(render(said(text)).text.endsWith(text)).toBe(true);
      expect(render(said(text)).opens).toBe(false);
    }
  },
);

test("reasoning is gone on with where the template prints it", () => {
  const { template, vocab } = FAMILIES.chatml;
  const { text } = prompter(template, new FakeVocab(vocab))(said("", "So, let me "));
  expect(text.endsWith("<think>\nSo, let me ")).toBe(true);
});

test.each([
  ["drops it", "{%- for m in messages if m.role == 'user' %}{{- m.content }}{%- endfor %}"],
  ["escapes it", "{%- for m in messages %}{{- m.content | tojson }}{%- endfor %}"],
  [
    "refuses",
    "{%- if messages[-1].role == 'assistant' %}{{- raise_exception('User last') }}{%- endif %}{%- for m in messages %}{{- m.content }}{%- endfor %}",
  ],
  ["prints it twice", "{%- for m in messages %}{{- m.content + m.content }}{%- endfor %}"],
])("a template that %s: a named error", (_, template) => {
  const render = prompter(template, new FakeVocab({}));
  try {
    render(said('Once "upon"'));
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: "prefill-unsupported", field: "messages" });
  }
});

const folder = join(import.meta.dir, "../../../../shared/templates");
const present = existsSync(folder);
if (!present) console.warn("SKIPPED: continued messages of real templates: there is no ../shared/templates");

describe.skipIf(!present)("real templates", () => {
  const special = /<\|[^|<>\s']+\|>|<｜[^｜<>]+｜>|<\|[^|<>\s']+>|<[a-z_]+\|>|\[\/?[A-Z][A-Z_]+\]/g;
  const files = present ? readdirSync(folder).filter((name) => name.endsWith(".jinja")) : [];
  test.each(files)("%s", (file) => {
    const source = readFileSync(join(folder, file), "utf8");
    const vocab = new FakeVocab({
      control: [...new Set(["<bos>", "<eos>", ...(source.match(special) ?? [])])],
      bos: "<bos>",
      eos: "<eos>",
    });
    const { text } = prompter(source, vocab)(said("Once upon a time "));
    expect(text.endsWith("Once upon a time ")).toBe(true);
  });
});
