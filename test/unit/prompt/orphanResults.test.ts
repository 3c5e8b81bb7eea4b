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

test.each(FILES)("%s", (path) => {
  const vocab = new FakeVocab({
    control: ["<|im_start|>", "<|im_end|>"],
    userDefined: [],
    eos: "<|im_end|>",
  });
  const prompter = new Prompter({
    template: readFileSync(path, "utf8"),
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
