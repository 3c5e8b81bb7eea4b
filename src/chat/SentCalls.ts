/** The calls of a request's messages, to be answered by results: each at most once. */
import { jsonBudget } from "../json/parseJson.ts";
import type { Note } from "./canonicalContent.ts";
import { invalid } from "./fields.ts";
import type { ToolCall } from "./Message.ts";

/** Of the conversation's n-th `function_call`, from 1: a function of the messages, so that a reply can have it, too. */
export function legacyCallId(count: number): string {
  return `call_${String(count).padStart(8, "0")}`;
}

export const ORPHAN_RESULT = "Results of calls that the messages do not hold stay in the prompt as results.";

interface SentCall {
  readonly id: string;
  readonly name: string;
  /** Place of its message. */
  readonly in: string;
  answered: boolean;
}

/** The last call of each id; a later message may use an id again, as servers that number a reply's calls do. */
export class SentCalls {
  readonly budget = jsonBudget();
  readonly note: Note;
  readonly #calls = new Map<string, SentCall>();

  #legacy = 0;

  constructor(note: Note) {
    this.note = note;
  }

  nextLegacyId(): string {
    this.#legacy += 1;
    return legacyCallId(this.#legacy);
  }

  add(calls: readonly ToolCall[], at: string): void {
    for (const [index, { id, name }] of calls.entries()) {
      if (this.#calls.get(id)?.in === at) {
        throw invalid(`${at}.tool_calls[${index}].id`, `"${id}" is the id of another call already.`);
      }
      // Behind the calls that are waiting longer.
      this.#calls.delete(id);
      this.#calls.set(id, { id, name, in: at, answered: false });
    }
  }

  /** Id and name of the call that a result answers; its own where there is none, for clients trim their history. */
  answer(id: string | undefined, name: string | undefined, field: string): { id: string; name: string } {
    const call = id === undefined ? this.#waiting(name) : this.#calls.get(id);
    if (call === undefined) {
      this.note(ORPHAN_RESULT);
      return { id: id ?? "", name: name ?? "" };
    }
    if (call.answered) throw invalid(field, `"${call.id}" has a result already.`);
    call.answered = true;
    return call;
  }

  /** The first call without a result, of that name where one is told. */
  #waiting(name: string | undefined): SentCall | undefined {
    return this.#calls.values().find((call) => !call.answered && (name ?? call.name) === call.name);
  }
}
