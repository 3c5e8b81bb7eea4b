/** Results whose calls were trimmed away are in the prompt of every template: as results, or as the user's text. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../../../src/chat/Message.ts";
import { Prompter } from "../../../src/prompt/Prompter.ts";
import { FakeVocab } from "../../support/FakeVocab.ts";
import { TOOLS } from "../chat/formats/readAs.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const OWN = join(ROOT, "test", "support", "tinyModels", "templates");
const STUDY = join(ROOT, "..", "shared", "templates");
if (!existsSync(STUDY)) console.warn(`${STUDY} is not here: the study's templates are not tried.`);

const FILES = [OWN, STUDY]
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((path) => path.endsWith(".jinja"));

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content, reasoning: "", toolCalls: [] });
const ORPHAN: Message = { role: "tool", content: "wtorphan", toolCallId: "call_gone0001", name: "" };
const HISTORIES: readonly (readonly Message[])[] = [
  [ORPHAN, user("wtnext")],
  [user("wtfirst"), ORPHAN],
  [user("wtfirst"), said("wtsaid"), ORPHAN, user("wtnext")],
];

/** As gpt-oss's does. */
const STRICT = `{%- set called = namespace(name=none) %}
{%- for message in messages %}
{%- if message.tool_calls %}{%- set called.name = message.tool_calls[0].function.name %}{%- endif %}
{%- if message.role == 'tool' and called.name is none %}{{ raise_exception('no call') }}{%- endif %}
{{- '<|im_start|>' + message.role + '\\n' + message.content }}
{%- for call in message.tool_calls %}{{- call.function.name + (call.function.arguments | tojson) }}{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;
const TEMPLATES = FILES.map((path) => [path, readFileSync(path, "utf8")] as const);

test.each([["one that raises", STRICT] as const, ...TEMPLATES])("%s", (_, template) => {
  const vocab = new FakeVocab({
    control: ["<|im_start|>", "<|im_end|>"],
    userDefined: [],
    eos: "<|im_end|>",
  });
  const prompter = new Prompter({
    template,
    vocab,
    today: () => new Date(0),
  });
  for (const messages of HISTORIES) {
    const input = { messages, tools: TOOLS.slice(1), kwargs: new Map([["enable_thinking", true]]) };
    const text = prompter.text(input, { addGenerationPrompt: true });
    const missing = messages.map(({ content }) => content).filter((word) => !text.includes(word));
    expect(missing).toEqual([]);
  }
});
