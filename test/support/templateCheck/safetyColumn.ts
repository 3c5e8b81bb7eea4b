/**
 * Does client data stay plain? Every marker of the template is planted in every place that a client can write
 * to; the special tokens of the prompt must be those of the same conversation with harmless words instead. And
 * ordinary text must give the tokens that tokenising the whole render would give.
 */
import type { Message, PromptInput, Tool } from "../../../src/chat/Message.ts";
import type { Json, JsonObject } from "../../../src/json/json.ts";
import { fromPlain } from "../../../src/json/plainJson.ts";
import type { CheckedTemplate } from "./CheckedTemplate.ts";
import { type TemplateColumn, wordsOf } from "./TemplateColumn.ts";

const PLACES = ["system", "user", "result", "argument", "key", "name", "description", "reasoning"] as const;
type Place = (typeof PLACES)[number];

export const safetyColumn: TemplateColumn = {
  title: "safe",
  check: (template) => {
    const problems: string[] = [];
    let good = 0;
    let of = 0;
    const expects = (what: string, holds: () => boolean | undefined): void => {
      try {
        const held = holds();
        if (held === undefined) return;
        of++;
        if (held) good++;
        else problems.push(what);
      } catch (error) {
        of++;
        problems.push(`${what}: ${wordsOf(error)}`);
      }
    };
    for (const join of ["", " ", "\n"]) {
      for (const place of PLACES) {
        expects(`a marker in the ${place} became special (joined by ${JSON.stringify(join)})`, () =>
          staysPlain(template, place, join),
        );
      }
    }
    expects("ordinary text is tokenised otherwise than it is without protection", () => isOrdinary(template));
    return { good, of, documented: 0, problems };
  },
};

/** Undefined where the template refuses such conversations whatever they say. */
function staysPlain(template: CheckedTemplate, place: Place, join: string): boolean | undefined {
  const markers = template.vocab.specials.map(({ text }) => text);
  const words = markers.map((_, i) => `wt${i}`);
  const harmless = specialsOf(template, conversation(place, words.join(join)));
  if (harmless === undefined) return undefined;
  return specialsOf(template, conversation(place, markers.join(join)))?.join() === harmless.join();
}

function specialsOf(template: CheckedTemplate, input: PromptInput): number[] | undefined {
  const specials = new Set(template.vocab.specials.map(({ id }) => id));
  const tokens = tokensOf(template, input);
  return tokens === undefined ? undefined : [...tokens].filter((token) => specials.has(token));
}

function tokensOf(template: CheckedTemplate, input: PromptInput): Int32Array | undefined {
  try {
    return template.prompter.tokens(input, { addGenerationPrompt: true }).tokens;
  } catch {
    return undefined;
  }
}

function isOrdinary(template: CheckedTemplate): boolean | undefined {
  const input = conversation("user", "Some words,\n\n  and the rest: {'a': 1} — 你好 👋 ");
  const tokens = tokensOf(template, input);
  if (tokens === undefined) return undefined;
  const whole = template.vocab.tokenise(template.prompter.text(input, { addGenerationPrompt: true }), true);
  return tokens.join() === whole.join();
}

/** Harmless everywhere but in one place. */
function conversation(place: Place, text: string): PromptInput {
  const at = (here: Place, otherwise: string): string => (here === place ? text : otherwise);
  const name = at("name", "wtname");
  const messages: Message[] = [
    { role: "system", content: at("system", "wtsystem") },
    { role: "user", content: at("user", "wtuser") },
    {
      role: "assistant",
      content: "",
      reasoning: at("reasoning", "wtreasoning"),
      toolCalls: [
        { id: "call00001", name, arguments: new Map([[at("key", "wtkey"), at("argument", "wtargument")]]) },
      ],
    },
    { role: "tool", content: at("result", "wtresult"), toolCallId: "call00001", name },
  ];
  return {
    messages,
    tools: [tool(name, at("description", "wtdescription"), at("key", "wtkey"))],
    kwargs: new Map<string, Json>([["enable_thinking", true]]),
  };
}

function tool(name: string, description: string, key: string): Tool {
  const parameters = {
    type: "object",
    properties: { [key]: { type: "string", description } },
    required: [key],
  };
  const definition = fromPlain({ type: "function", function: { name, description, parameters } });
  return { name, definition: definition as JsonObject };
}
