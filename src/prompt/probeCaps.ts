/**
 * What a template reads, found by rendering small conversations once, at load. A probe that raises only says
 * "not this way"; it never fails a request.
 */
import type { AssistantMessage, Message, PromptInput, Tool } from "../chat/messages.ts";
import type { Json } from "../json/json.ts";
import { fromPlain } from "../json/plainJson.ts";
import { type DataMask, type HostSettings, hostContext, type TemplateCaps } from "./hostContext.ts";
import type { Template } from "./Template.ts";

/** The tool that probes call. */
export const PROBE_TOOL: Tool = {
  name: "wtname",
  definition: toMap({
    type: "function",
    function: {
      name: "wtname",
      description: "wtdescription",
      parameters: {
        type: "object",
        properties: { wtkey: { type: "string", description: "wtproperty" } },
        required: ["wtkey"],
      },
    },
  }),
};

/** An assistant message; `argument` is the value of its one call's one argument. */
export function probeReply(
  content: string,
  more: { readonly reasoning?: string; readonly argument?: string } = {},
): AssistantMessage {
  return {
    role: "assistant",
    content,
    reasoning: more.reasoning ?? "",
    toolCalls:
      more.argument === undefined
        ? []
        : [{ id: "call_wt000001", name: "wtname", arguments: new Map([["wtkey", more.argument]]) }],
  };
}

export function probeResult(content: string): Message {
  return { role: "tool", content, toolCallId: "call_wt000001", name: "wtname" };
}

export function probeInput(messages: readonly Message[], tools: readonly Tool[]): PromptInput {
  return { messages, tools, kwargs: new Map<string, Json>([["enable_thinking", true]]) };
}

/** Probes hold no spelling of a special token. */
export const NO_MASK: DataMask = { text: (text) => text, word: (text) => text, echo: (text) => text };

const DEFAULTS: TemplateCaps = {
  arguments: "object",
  rawArguments: true,
  emptyContent: "",
  systemRole: true,
  callIds: "as-sent",
  noTools: "omitted",
  reasoningField: "reasoning_content",
  textBesideThinkingAndCalls: true,
};

export function probeCaps(template: Template, settings: HostSettings): TemplateCaps {
  const user: Message = { role: "user", content: "wtuser" };
  const render = (messages: readonly Message[], caps: TemplateCaps): string | undefined => {
    try {
      const tools = messages.some((message) => message.role === "tool") ? [PROBE_TOOL] : [];
      return template.render(hostContext(probeInput(messages, tools), true, caps, settings, NO_MASK));
    } catch {
      return undefined;
    }
  };
  const prints = (messages: readonly Message[], caps: TemplateCaps, ...words: readonly string[]): boolean => {
    const text = render(messages, caps);
    return text !== undefined && words.every((word) => text.includes(word));
  };

  const system: Message = { role: "system", content: "wtsystem" };
  const lists = render([user], DEFAULTS) === undefined;
  let caps: TemplateCaps = { ...DEFAULTS, noTools: lists ? "empty list" : "omitted" };
  caps = { ...caps, systemRole: prints([system, user], caps, "wtsystem", "wtuser") };

  const loop = [user, probeReply("", { argument: "wtvalue" }), probeResult("wtresult")];
  caps =
    callShapes(caps).find((shape) => prints(loop, shape, "wtname", "wtkey", "wtvalue")) ??
    // Templates that print no calls at all: whatever does not raise.
    callShapes(caps).find((shape) => render(loop, shape) !== undefined) ??
    caps;

  // The R1 distillations take "" for an answer of its own and print it, with all that goes around one.
  const bare = { ...caps, emptyContent: null };
  const shorter = (render(loop, caps)?.length ?? 0) - (render(loop, bare)?.length ?? 0);
  if (shorter >= EMPTY_ANSWER_CHARS && prints(loop, bare, "wtname", "wtkey", "wtvalue")) caps = bare;

  const raw: AssistantMessage = {
    ...probeReply(""),
    toolCalls: [{ id: "call_wt000001", name: "wtname", arguments: "wtraw" }],
  };
  const rawArguments = prints([user, raw, probeResult("wtresult")], caps, "wtraw");
  caps = { ...caps, rawArguments };

  const thinking = [user, probeReply("", { reasoning: "wtreasoning", argument: "wtvalue" }), loop[2] ?? user];
  const answered = [user, probeReply("wttext", { reasoning: "wtreasoning" })];
  for (const reasoningField of ["reasoning_content", "thinking", "reasoning"] as const) {
    const shape = { ...caps, reasoningField };
    if (!prints(thinking, shape, "wtreasoning") && !prints(answered, shape, "wtreasoning")) continue;
    caps = shape;
    break;
  }
  const crowded = [
    user,
    probeReply("wttext", { reasoning: "wtreasoning", argument: "wtvalue" }),
    probeResult("wtresult"),
  ];
  return {
    ...caps,
    textBesideThinkingAndCalls: render(crowded, caps) !== undefined || render(thinking, caps) === undefined,
  };
}

/** An empty answer with its marks is longer than this; a line break or a "None" is not. */
const EMPTY_ANSWER_CHARS = 8;

/** Ways to hand over a call, the likeliest first. */
function callShapes(base: TemplateCaps): TemplateCaps[] {
  const shapes: TemplateCaps[] = [];
  for (const callIds of ["as-sent", "nine-alphanumerics"] as const) {
    for (const emptyContent of ["", null] as const) {
      for (const form of ["object", "string"] as const) {
        shapes.push({ ...base, callIds, emptyContent, arguments: form });
      }
    }
  }
  return shapes;
}

function toMap(value: unknown): Tool["definition"] {
  const json = fromPlain(value);
  return json instanceof Map ? json : new Map();
}
