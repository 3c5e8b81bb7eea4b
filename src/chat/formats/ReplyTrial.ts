/** A template as inference sees it: the text that it writes for one assistant message, and nothing around it. */
import type { Json, JsonObject } from "../../json/json.ts";
import { fromPlain } from "../../json/plainJson.ts";
import type { AssistantMessage, Message, Tool } from "../Message.ts";
import { atomsOf, commonEnd, commonStart } from "./atoms.ts";
import type { ReasoningFormat } from "./ReplyFormat.ts";

/** Undefined where the template refuses. */
type RenderTrial = (
  messages: readonly Message[],
  tools: readonly Tool[],
  addGenerationPrompt: boolean,
) => string | undefined;

export interface ReplyTrialOptions {
  readonly render: RenderTrial;
  /** Whether the model stops at this tag. */
  readonly isEnd: (tag: string) => boolean;
  readonly reasoning: ReasoningFormat | null;
}

export interface TrialCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

const USER: Message = { role: "user", content: "wtuser" };
const TEXT = "wttext";

export class ReplyTrial {
  readonly #options: ReplyTrialOptions;
  /** Ids like Kimi's, where the template writes only those. */
  readonly #namedIds: boolean;
  /** What stands in front of a plain text reply, and behind it. */
  readonly #lead: string;
  readonly #closer: string;

  constructor(options: ReplyTrialOptions, namedIds = false) {
    this.#options = options;
    this.#namedIds = namedIds;
    const text = this.#segment({ role: "assistant", content: TEXT, reasoning: "", toolCalls: [] }) ?? TEXT;
    const [lead = "", closer = ""] = text.split(TEXT);
    this.#lead = lead;
    this.#closer = closer;
  }

  withNamedIds(): ReplyTrial {
    return new ReplyTrial(this.#options, true);
  }

  id(call: TrialCall, index: number): string {
    return this.#namedIds ? `functions.${call.name}:${index}` : `wtid0000${index + 1}`;
  }

  /** What a plain text reply has in front of its text, and the first tag behind it. */
  get textMarks(): { readonly before: string; readonly behind: string | undefined } {
    return { before: this.#lead, behind: atomsOf(this.#closer)[0] };
  }

  /** Whether the model stops at this tag, so that no reply holds it but in words of its own. */
  isEnd(tag: string): boolean {
    return this.#options.isEnd(tag);
  }

  /** What the generation prompt adds, e.g. `<|begin|>assistant`, reasoning that it opens not included. */
  get header(): string {
    const history = this.#options.render([USER], TRIAL_TOOLS, false) ?? "";
    const prompt = this.#options.render([USER], TRIAL_TOOLS, true) ?? "";
    const header = prompt.slice(commonStart(history, prompt).length);
    const opens = this.#options.reasoning?.start;
    return (opens ? (header.split(opens)[0] ?? "") : header).trim();
  }

  /** The calls alone, or undefined where the template refuses or drops them. */
  calls(calls: readonly TrialCall[]): string | undefined {
    const toolCalls = calls.map((call, i) => ({ ...call, id: this.id(call, i) }));
    const segment = this.#segment({ role: "assistant", content: "", reasoning: "", toolCalls });
    const first = calls[0]?.name;
    if (segment === undefined || first === undefined || !segment.includes(first)) return undefined;
    // Not a part of a word that both begin with, as addresses do.
    const head = commonStart(segment, this.#lead).replace(/[^>\]\n]*$/, "");
    const rest = this.#withoutReasoning(segment.slice(head.length), first);
    return this.#withoutEnd(rest.slice(0, rest.length - commonEnd(rest, this.#closer).length)).trim();
  }

  /** A reply whole, as the model would have written it behind the generation prompt. */
  reply(reply: AssistantMessage): string | undefined {
    return this.#segment(reply);
  }

  /** What the template adds to the history for `reply`, less what the generation prompt says already. */
  #segment(reply: AssistantMessage): string | undefined {
    const prompt = this.#options.render([USER], TRIAL_TOOLS, true);
    const whole = this.#options.render([USER, reply], TRIAL_TOOLS, false) ?? this.#answered(reply);
    if (prompt === undefined || whole === undefined) return undefined;
    return whole.slice(commonStart(prompt, whole).length);
  }

  /** Where a template refuses to end in a reply: up to what opens the user message behind it. */
  #answered(reply: AssistantMessage): string | undefined {
    const next: Message = { role: "user", content: "wtnext" };
    const whole = this.#options.render([USER, reply, next], TRIAL_TOOLS, false);
    const [before = ""] = whole?.split(next.content) ?? [];
    const [opener = ""] = before.split(USER.content);
    return whole === undefined
      ? undefined
      : before.slice(0, before.length - commonEnd(opener, before).length);
  }

  /** Some templates write empty reasoning in front of calls. */
  #withoutReasoning(text: string, name: string): string {
    const { end } = this.#options.reasoning ?? { end: "" };
    const at = end === "" ? -1 : text.lastIndexOf(end, text.indexOf(name));
    return at < 0 ? text : text.slice(at + end.length);
  }

  /** Where the model stops, or inside a tag that only begins like the one behind a text. */
  #withoutEnd(text: string): string {
    let out = "";
    for (const atom of atomsOf(text)) {
      if (this.#options.isEnd(atom)) break;
      out += atom;
    }
    return out.replace(/<[|｜][^<>]*$/, "");
  }
}

/** Simple schemas: some templates fail on others. Arguments that these do not name may be of any kind. */
export const TRIAL_NAMES = ["wtfirst", "wtsecond"] as const;

export const TRIAL_TOOLS: readonly Tool[] = TRIAL_NAMES.map((name) => ({
  name,
  definition: objectOf({
    type: "function",
    function: {
      name,
      description: "wtdescription",
      parameters: {
        type: "object",
        properties: {
          wtkeya: { type: "string", description: "wtproperty" },
          wtkeyb: { type: "string", description: "wtproperty" },
          wtnumber: { type: "number", description: "wtproperty" },
          wtflag: { type: "boolean", description: "wtproperty" },
        },
      },
    },
  }),
}));

export function objectOf(value: Readonly<Record<string, unknown>>): JsonObject {
  const json: Json = fromPlain(value);
  return json instanceof Map ? json : new Map();
}
