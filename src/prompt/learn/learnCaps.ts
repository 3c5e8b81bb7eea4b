/**
 * What a template reads, found by rendering small conversations once, at load. A template that
 * raises in a trial does not support what was tried; this never fails a request.
 */
import type { AssistantMessage, Message } from "../../chat/Message.ts";
import type { Json } from "../../json/json.ts";
import { EFFORTS, type HostSettings, hostContext } from "../hostContext.ts";
import type { Template } from "../Template.ts";
import { type TemplateCaps, type ThinkingName, USUAL_CAPS } from "./TemplateCaps.ts";
import { NO_MASK, TRIAL_TOOL, trialInput, trialReply, trialResult } from "./trialMessages.ts";

/** Renders, or undefined where the template refuses. */
type Render = (messages: readonly Message[], caps: TemplateCaps, more?: TrialOptions) => string | undefined;

interface TrialOptions {
  readonly generation?: boolean;
  /** Whether the request has tools; by default where a message is a result. */
  readonly tools?: boolean;
  readonly kwargs?: ReadonlyMap<string, Json>;
}

const USER: Message = { role: "user", content: "wtuser" };
const NEXT: Message = { role: "user", content: "wtnext" };
const RESULT = trialResult("wtresult");
const LOOP: readonly Message[] = [USER, trialReply("", { argument: "wtvalue" }), RESULT];

/** A result without its call: where the history was trimmed to, and behind a reply that made no call. */
const ORPHANS: readonly (readonly Message[])[] = [
  [USER, RESULT],
  [USER, RESULT, trialReply("wtreply"), NEXT],
  [USER, trialReply("wtreply"), RESULT],
];

export function learnCaps(template: Template, settings: HostSettings): TemplateCaps {
  const render: Render = (messages, caps, { generation = true, kwargs, tools: given } = {}) => {
    try {
      const tools = (given ?? messages.some((message) => message.role === "tool")) ? [TRIAL_TOOL] : [];
      const input = trialInput(messages, tools);
      const all = kwargs === undefined ? input : { ...input, kwargs: new Map([...input.kwargs, ...kwargs]) };
      return template.render(hostContext(all, generation, caps, settings, NO_MASK));
    } catch {
      return undefined;
    }
  };
  // Each step goes by what the steps before it have found.
  const steps = [variables, contentForm, roles, calls, results, reasoning];
  const caps = steps.reduce((found, step) => step(found, render), USUAL_CAPS);
  return {
    ...caps,
    efforts: efforts(template.source, caps, render),
    thinkingNames: thinkingNames(template.source, caps, render),
  };
}

type Step = (caps: TemplateCaps, render: Render) => TemplateCaps;

function prints(text: string | undefined, ...words: readonly string[]): boolean {
  return text !== undefined && words.every((word) => text.includes(word));
}

/** What it cannot do without: an empty list of tools, or tools and date under older names. */
const variables: Step = (caps, render) => {
  if (render([USER], caps) !== undefined) return caps;
  const others: readonly TemplateCaps[] = [
    { ...caps, noTools: "empty list" },
    { ...caps, variables: "functions" },
  ];
  return others.find((other) => render([USER], other) !== undefined) ?? caps;
};

/** A string that is read as a list of parts prints nothing. */
const contentForm: Step = (caps, render) => {
  const parts: TemplateCaps = { ...caps, content: "parts" };
  return !prints(render([USER], caps), "wtuser") && prints(render([USER], parts), "wtuser") ? parts : caps;
};

const roles: Step = (caps, render) => {
  // A template that lacks what nobody can give it says nothing.
  if (render([USER], caps) === undefined) return caps;
  const system: Message = { role: "system", content: "wtsystem" };
  const systemRole = prints(render([system, USER], caps), "wtsystem", "wtuser");
  const middle: Message = { role: "system", content: "wtmiddle" };
  const talk = render([USER, trialReply("wtreply"), middle, NEXT], caps);
  const repeated = render([USER, trialReply("wtreply"), NEXT, NEXT], caps) !== undefined;
  const first = userFirst({ ...caps, systemRole }, render);
  return {
    ...caps,
    systemRole,
    systemAnywhere: systemRole && inOrder(talk, ["wtuser", "wtreply", "wtmiddle", "wtnext"]),
    repeatedRoles: repeated || render([USER, trialReply("wtreply"), NEXT], caps) === undefined,
    userFirst: first,
    userNeeded: userNeeded({ ...caps, systemRole, userFirst: first }, render),
  };
};

/** With an empty message of the user's in front it must then render. */
function userFirst(caps: TemplateCaps, render: Render): boolean {
  const greeted = [trialReply("wtreply"), NEXT];
  const first = { ...caps, userFirst: true };
  return render(greeted, caps) === undefined && prints(render(greeted, first), "wtreply", "wtnext");
}

/** A system message alone, or with a loop of the assistant's behind it, with tools and without. */
function userNeeded(caps: TemplateCaps, render: Render): boolean {
  const system: Message = { role: "system", content: "wtsystem" };
  const [, ...loop] = LOOP;
  return [[system], [system, ...loop]].some((messages) =>
    [false, true].some((tools) => {
      const given = { ...caps, userNeeded: true };
      return (
        render(messages, caps, { tools }) === undefined &&
        prints(render(messages, given, { tools }), "wtsystem")
      );
    }),
  );
}

function inOrder(text: string | undefined, words: readonly string[]): boolean {
  const places = words.map((word) => text?.lastIndexOf(word) ?? -1);
  return places.every((place, i) => place >= 0 && place > (places[i - 1] ?? -1));
}

/** How calls are handed over, or that they must be written out. */
const calls: Step = (caps, render) => {
  const shapes = callShapes(caps);
  const shown =
    shapes.find((shape) => prints(render(LOOP, shape), "wtname", "wtkey", "wtvalue")) ??
    shapes.find((shape) => prints(render(LOOP, shape), "wtvalue"));
  if (shown === undefined) {
    const written = { ...caps, calls: "written" as const };
    return callShapes(written).find((shape) => render(LOOP, shape) !== undefined) ?? written;
  }
  // The R1 distillations take "" for an answer of its own and print it, with all that goes around one.
  const bare = { ...shown, emptyContent: null };
  const shorter = (render(LOOP, shown)?.length ?? 0) - (render(LOOP, bare)?.length ?? 0);
  const isBare = shorter >= EMPTY_ANSWER_CHARS && prints(render(LOOP, bare), "wtname", "wtkey", "wtvalue");
  const chosen = isBare ? bare : shown;
  const raw: AssistantMessage = {
    ...trialReply(""),
    toolCalls: [{ id: "call_wt000001", name: "wtname", arguments: "wtraw" }],
  };
  const rawArguments = prints(render([USER, raw, RESULT], chosen), "wtraw");
  const twoCalls = trialReply("", { argument: "wtvalue" });
  const [first] = twoCalls.toolCalls;
  const second = { id: "call_wt000002", name: "wtname", arguments: new Map([["wtkey", "wtother"]]) };
  const both: readonly Message[] = [
    USER,
    { ...twoCalls, toolCalls: first === undefined ? [second] : [first, second] },
    RESULT,
    { role: "tool", content: "wtresult2", toolCallId: "call_wt000002", name: "wtname" },
  ];
  const one: TemplateCaps = { ...chosen, rawArguments, callsAtOnce: "one" };
  const refuses = render(both, chosen) === undefined && render(both, one) !== undefined;
  return refuses ? one : { ...one, callsAtOnce: "many" };
};

/** Whether results are printed, and what a user message behind one does. */
const results: Step = (caps, render) => {
  const asText: TemplateCaps = { ...caps, toolRole: false };
  const printed =
    !prints(render(LOOP, caps), "wtresult") && prints(render(LOOP, asText), "wtresult") ? asText : caps;
  if (!printed.toolRole) return printed;
  const chosen = {
    ...printed,
    orphanResults: ORPHANS.every((some) => prints(render(some, caps), "wtresult")),
  };
  const next = [...LOOP, NEXT];
  const all: TemplateCaps = { ...chosen, userAfterResult: "joined" };
  if (render(next, chosen) === undefined) return render(next, all) === undefined ? chosen : all;
  const thought = trialReply("", { reasoning: "wtreasoning", argument: "wtvalue" });
  const loops = [LOOP, [USER, thought, RESULT]];
  const fields = REASONING_FIELDS.map((reasoningField) => ({ ...chosen, reasoningField }));
  const rewrites = fields.some((shape) => loops.some((loop) => rewritten(loop, shape, render)));
  return rewrites ? { ...chosen, userAfterResult: "joined if beside" } : chosen;
};

/** Whether a user message behind the result changes the text up to the result. */
function rewritten(loop: readonly Message[], caps: TemplateCaps, render: Render): boolean {
  const before = render(loop, caps, { generation: false });
  const after = render([...loop, NEXT], caps);
  if (before === undefined || after === undefined) return false;
  return !after.startsWith(before.slice(0, before.lastIndexOf("wtresult") + "wtresult".length));
}

const REASONING_FIELDS = ["reasoning_content", "thinking", "reasoning", "block"] as const;

const reasoning: Step = (caps, render) => {
  const loop = [USER, trialReply("", { reasoning: "wtreasoning", argument: "wtvalue" }), RESULT];
  const answered = [USER, trialReply("wttext", { reasoning: "wtreasoning" })];
  const shapes = REASONING_FIELDS.map((reasoningField) => ({ ...caps, reasoningField }));
  const reads = shapes.find((shape) => {
    const texts = [render(loop, shape), render(answered, shape)];
    const shown = prints(texts[0], "wtreasoning") || prints(texts[1], "wtreasoning", "wttext");
    // A template that prints a list of parts as it is reads no reasoning in it.
    return shown && !texts.some(printsParts);
  });
  const chosen = reads ?? caps;
  const crowded = [USER, trialReply("wttext", { reasoning: "wtreasoning", argument: "wtvalue" }), RESULT];
  const fits = render(crowded, chosen) !== undefined || render(loop, chosen) === undefined;
  return { ...chosen, textBesideThinkingAndCalls: fits };
};

function printsParts(text: string | undefined): boolean {
  return text !== undefined && /["']type["']: ["']thinking["']/.test(text);
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

/** Those that it takes, where it refuses some. */
function efforts(source: string, caps: TemplateCaps, render: Render): readonly string[] {
  if (!source.includes("reasoning_effort")) return [];
  const taken = EFFORTS.filter((effort) => {
    return render([USER], caps, { kwargs: new Map([["reasoning_effort", effort]]) }) !== undefined;
  });
  return taken.length === EFFORTS.length ? [] : taken;
}

const ON = /^(?:on|enabled?|true|think|thinking)$/i;
const OFF = /^(?:off|disabled?|false|chat|no_?think(?:ing)?|non[_-]?think(?:ing)?)$/i;

/** Variables such as `thinking_mode` that are compared to words for on and off. */
function thinkingNames(source: string, caps: TemplateCaps, render: Render): readonly ThinkingName[] {
  const unset = render([USER], caps);
  const words = new Map<string, string[]>();
  for (const [, name = "", , word = ""] of source.matchAll(/\b(\w*think\w*) *[!=]= *(['"])(\w+)\2/g)) {
    words.set(name, [...(words.get(name) ?? []), word]);
  }
  return [...words].flatMap(([name, all]) => {
    const on = all.find((word) => ON.test(word));
    const off = all.find((word) => OFF.test(word));
    if (on === undefined && off === undefined) return [];
    const words = { on: on ?? "enabled", off: off ?? "disabled" };
    const hasThird = all.some((word) => word !== on && word !== off);
    const asked = render([USER], caps, { kwargs: new Map([[name, words.on]]) });
    return [{ name, ...words, ownDefault: hasThird && asked !== unset }];
  });
}
