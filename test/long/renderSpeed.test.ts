/**
 * Rendering a long conversation costs at most what the library's own interpreter costs, measured in one run, turn
 * by turn, so that a busy machine slows both alike.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Template as Stock } from "@huggingface/jinja";
import { parseTemplate, renderTemplate } from "../../src/jinja/renderTemplate.ts";
import { fromPlain } from "../../src/json/plainJson.ts";

const FOLDER = join(import.meta.dir, "../../../shared/templates");
const present = existsSync(FOLDER);
if (!present) console.warn("SKIPPED: speed of renders: there is no ../shared/templates");

const LINE = "some text with words and lines\n";
const tools = [
  {
    type: "function",
    function: {
      name: "read",
      description: "Reads",
      parameters: {
        type: "object",
        properties: { path: { type: "string", description: "Path" } },
        required: ["path"],
      },
    },
  },
];

/** 600 messages of 0.9 M characters in all. */
function conversation(): Record<string, unknown>[] {
  const messages: Record<string, unknown>[] = [{ role: "system", content: LINE.repeat(120) }];
  for (let i = 0; messages.length < 600; i++) {
    const call = { name: "read", arguments: { path: `${i}`, text: LINE.repeat(48) } };
    messages.push({ role: "user", content: `question ${i} ${LINE.repeat(20)}` });
    messages.push({
      role: "assistant",
      content: "",
      tool_calls: [{ id: "abcdefghi", type: "function", function: call }],
    });
    messages.push({ role: "tool", tool_call_id: "abcdefghi", name: "read", content: LINE.repeat(96) });
    messages.push({ role: "assistant", content: `answer ${LINE.repeat(26)}` });
  }
  return messages;
}

describe.skipIf(!present)("600 messages of 0.9 M characters", () => {
  const variables = {
    messages: conversation(),
    tools,
    bos_token: "<s>",
    eos_token: "</s>",
    add_generation_prompt: true,
    enable_thinking: true,
  };
  const context = fromPlain(variables);
  const files = present ? readdirSync(FOLDER).filter((file) => file.endsWith(".jinja")) : [];
  let compared = 0;

  test.each(files)("%s", (file) => {
    const source = readFileSync(join(FOLDER, file), "utf8");
    if (!(context instanceof Map)) throw new Error("context");
    const program = parseTemplate(source);
    let stock: Stock;
    try {
      stock = new Stock(source);
      stock.render(variables);
      renderTemplate(program, context, new Date());
    } catch {
      return;
    }
    const time = (render: () => string): number => {
      const started = performance.now();
      // Reading the last character puts the text together, which both leave for later.
      const text = render();
      text.charCodeAt(text.length >> 1);
      return performance.now() - started;
    };
    let ours = Number.POSITIVE_INFINITY;
    let theirs = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 9; i++) {
      ours = Math.min(
        ours,
        time(() => renderTemplate(program, context, new Date())),
      );
      theirs = Math.min(
        theirs,
        time(() => stock.render(variables)),
      );
    }
    console.log(
      `${file}: ${ours.toFixed(1)} ms, stock ${theirs.toFixed(1)} ms, ratio ${(ours / theirs).toFixed(2)}`,
    );
    expect(ours).toBeLessThanOrEqual(theirs);
    compared++;
  });

  test("most can be compared", () => {
    expect(compared).toBeGreaterThan(35);
  });
});
