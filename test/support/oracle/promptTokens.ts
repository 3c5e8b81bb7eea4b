/** A request's prompt, made by test code alone: its own canonical form, a stock template, a handed-in tokeniser. */
import { Template } from "@huggingface/jinja";
import {
  parametersOf,
  type WireContent,
  type WireMessage,
  type WireRequest,
  type WireTool,
} from "../clients/wire.ts";
import { argumentText } from "./argumentText.ts";

export interface PromptSettings {
  readonly template: string;
  /** `bos_token`, `enable_thinking` and whatever else the server gives to templates, but for messages and tools. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The whole rendered text to the prompt's ids, special tokens parsed, BOS as the server has it. */
  readonly tokenise: (text: string) => readonly number[];
}

export function promptTokens(settings: PromptSettings, request: WireRequest): readonly number[] {
  return settings.tokenise(promptText(settings, request));
}

export function promptText(settings: PromptSettings, { messages, tools = [] }: WireRequest): string {
  const argumentTexts: string[] = [];
  const names = new Map<string, string>();
  const shown = messages.map((message) => {
    for (const call of message.tool_calls ?? []) names.set(call.id, call.function.name);
    return shownMessage(message, tools, names, argumentTexts);
  });
  let text = new Template(settings.template).render({
    ...settings.variables,
    messages: shown,
    ...(tools.length === 0 ? {} : { tools }),
    add_generation_prompt: true,
  });
  argumentTexts.forEach((argument, index) => {
    text = text.split(JSON.stringify({ [stand(index)]: 0 }).replace(":", ": ")).join(argument);
  });
  return text;
}

/** Arguments are rendered as a stand-in object and put into the text afterwards, spelled as they must be. */
function stand(index: number): string {
  return `__arguments_${index}__`;
}

function shownMessage(
  message: WireMessage,
  tools: readonly WireTool[],
  names: ReadonlyMap<string, string>,
  argumentTexts: string[],
): Record<string, unknown> {
  const content = flat(message.content);
  if (message.role === "tool") {
    const id = message.tool_call_id ?? "";
    return { role: "tool", content, tool_call_id: id, name: names.get(id) ?? "" };
  }
  const shown: Record<string, unknown> = {
    role: message.role === "developer" ? "system" : message.role,
    content,
  };
  if (!blank(message.reasoning_content)) shown["reasoning_content"] = message.reasoning_content;
  if (message.tool_calls !== undefined && message.tool_calls.length > 0) {
    shown["tool_calls"] = message.tool_calls.map(({ id, function: { name, arguments: sent } }) => {
      const text = argumentText(sent, parametersOf(tools, name));
      if (text === undefined) return { id, type: "function", function: { name, arguments: sent } };
      const index = argumentTexts.push(text) - 1;
      return { id, type: "function", function: { name, arguments: { [stand(index)]: 0 } } };
    });
  }
  return shown;
}

function flat(content: WireContent | undefined): string {
  const texts = typeof content === "string" ? [content] : (content ?? []).map(({ text }) => text);
  return texts.filter((text) => !blank(text)).join("\n");
}

function blank(text: string | null | undefined): boolean {
  return text === null || text === undefined || text.trim() === "";
}
