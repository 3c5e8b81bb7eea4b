/** One case through our parser, whole and byte by byte, in the format that our own study finds in its template. */
import type { ReplyFormat } from "../../../src/chat/formats/ReplyFormat.ts";
import { objectOf } from "../../../src/chat/formats/ReplyTrial.ts";
import type { Message, Tool } from "../../../src/chat/Message.ts";
import { trimEdges } from "../../../src/chat/replyMessage.ts";
import { ReplyParser } from "../../../src/chat/replyParser.ts";
import type { Json } from "../../../src/json/json.ts";
import { parseJson } from "../../../src/json/parseJson.ts";
import { toPlain } from "../../../src/json/plainJson.ts";
import { Prompter } from "../../../src/prompt/Prompter.ts";
import { templateVocab } from "../templateCheck/templateVocab.ts";
import type { ExpectedMessage, ParserCase } from "./readCases.ts";

/** `edges`: equal but for white space at the ends of texts, which we never give. `other`: asks for what we have not. */
export type CaseVerdict = "equal" | "edges" | "different" | "other";

export interface CaseResult {
  readonly verdict: CaseVerdict;
  /** Short, of the case's own words: the same for the same case in any version of the file. */
  readonly id: string;
  readonly ours: ExpectedMessage | null;
}

/** `replies` show tokens that a real vocabulary has, though the template writes none of them. */
export function prompterOf(template: string, replies: readonly string[]): Prompter {
  const vocab = templateVocab(`${template}\n${replies.join("\n")}`, template);
  return new Prompter({ template, vocab, today: () => new Date(0) });
}

export function runCase(one: ParserCase, prompter: Prompter): CaseResult {
  const id = idOf(one);
  const tools = one.tools.map(toolOf);
  const opened = opens(prompter, one, tools);
  const format = (tools.length > 0 ? prompter.toolDialect : prompter.dialect).reply.format;
  const whole = read(format, one, tools, opened, [one.input]);
  const bytes = new TextEncoder().encode(one.input);
  const decoder = new TextDecoder();
  const parts = Array.from(bytes, (_, i) => decoder.decode(bytes.subarray(i, i + 1), { stream: true }));
  const split = read(format, one, tools, opened, parts);
  if (JSON.stringify(whole) !== JSON.stringify(split))
    return { verdict: "different", id: `${id} split`, ours: split };
  // Reasoning that is to stay in the text is no way of ours.
  if (one.reasoning === "none" && whole.reasoning !== "") return { verdict: "other", id, ours: whole };
  const ours = continued(one, whole);
  return { verdict: verdictOf(one, ours), id, ours };
}

export function idOf({ template, input, tools, thinking, continues, partial }: ParserCase): string {
  const words = JSON.stringify([
    template,
    input,
    tools.map(({ name }) => name),
    thinking,
    continues,
    partial,
  ]);
  return Bun.hash.xxHash64(words).toString(16).padStart(16, "0").slice(0, 8);
}

function toolOf({ name, description, parameters }: ParserCase["tools"][number]): Tool {
  const definition = objectOf({
    type: "function",
    function: { name, description, parameters: parsed(parameters) },
  });
  return { name, definition };
}

function parsed(text: string): unknown {
  const json = jsonOf(text);
  return json === undefined ? text : toPlain(json);
}

function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Whether the prompt of this case opens the reasoning. */
function opens(prompter: Prompter, one: ParserCase, tools: readonly Tool[]): boolean {
  if (one.continues !== null) return one.continues === "reasoning";
  const messages: Message[] = [{ role: "user", content: "Hey there!" }];
  const input = { messages, tools, kwargs: new Map<string, Json>([["enable_thinking", one.thinking]]) };
  try {
    return prompter.tokens(input, { addGenerationPrompt: true }).opensReasoning;
  } catch {
    return false;
  }
}

function read(
  format: ReplyFormat,
  { partial, continues }: ParserCase,
  tools: readonly Tool[],
  opensReasoning: boolean,
  parts: readonly string[],
): ExpectedMessage {
  let ids = 0;
  const parser = new ReplyParser({
    format,
    opensReasoning,
    tools,
    newCallId: () => `call_${ids++}`,
    ...(continues === null ? {} : { continues }),
  });
  const out: ExpectedMessage = { content: "", reasoning: "", calls: [] };
  const deltas = parts.flatMap((part) => parser.push(part));
  for (const delta of partial ? deltas : [...deltas, ...parser.end()]) {
    if (delta.type === "reasoning") out.reasoning += delta.text;
    if (delta.type === "text") out.content += delta.text;
    if (delta.type === "call") out.calls.push({ name: delta.name, arguments: "", id: delta.id });
    const call = delta.type === "call-arguments" ? out.calls[delta.index] : undefined;
    if (delta.type === "call-arguments" && call !== undefined) {
      out.calls[delta.index] = { ...call, arguments: call.arguments + delta.text };
    }
  }
  return out;
}

/** A reply that goes on from a message is told with what stood there. */
function continued(one: ParserCase, ours: ExpectedMessage): ExpectedMessage {
  const last = one.messages.at(-1);
  if (one.continues === null || last === undefined) return ours;
  // A template without reasoning drops what stood there.
  const reasoning = one.reasoning === "none" ? "" : last.reasoning;
  return { ...ours, content: last.content + ours.content, reasoning: reasoning + ours.reasoning };
}

function verdictOf({ expected, partial }: ParserCase, ours: ExpectedMessage): CaseVerdict {
  const calls = expected.calls;
  const sameCalls =
    calls.length === ours.calls.length &&
    calls.every((call, i) => {
      const own = ours.calls[i];
      return own?.name === call.name && sameArguments(call.arguments, own.arguments, partial);
    });
  if (!sameCalls) return "different";
  if (expected.content === ours.content && expected.reasoning === ours.reasoning) return "equal";
  const texts = (one: ExpectedMessage) => [trimEdges(one.content), trimEdges(one.reasoning)];
  return JSON.stringify(texts(expected)) === JSON.stringify(texts(ours)) ? "edges" : "different";
}

/** As values; of what has not come to its end one may have more of it than the other. */
function sameArguments(a: string, b: string, partial: boolean): boolean {
  const [one, two] = [jsonOf(a || "{}"), jsonOf(b || "{}")];
  if (one !== undefined && two !== undefined) return Bun.deepEquals(toPlain(one), toPlain(two));
  const [short = "", long = ""] = [a, b]
    .map((text) => text.replaceAll(/\s/g, ""))
    .sort((x, y) => x.length - y.length);
  return partial ? long.startsWith(short.replace(/["}]+$/, "")) : short === long;
}
