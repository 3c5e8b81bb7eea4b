/** The self-test of a call format: calls that inference has not seen, spelt and read against the template's render. */
import { writeJson } from "../../json/writeJson.ts";
import { ReplyParser } from "../replyParser.ts";
import type { ReplyFormat } from "./ReplyFormat.ts";
import { objectOf, type ReplyTrial, TRIAL_NAMES, TRIAL_TOOLS, type TrialCall } from "./ReplyTrial.ts";
import { spellCalls } from "./spellCalls.ts";

/**
 * `exact`: spelt byte for byte as the template does, and read back. `read`: read back. `fails`: neither. `none`:
 * the template renders no such reply.
 */
export type FormatVerdict = "exact" | "read" | "fails" | "none";

export interface FormatTest {
  readonly oneCall: FormatVerdict;
  readonly nestedArguments: FormatVerdict;
  readonly twoCalls: FormatVerdict;
}

const [FIRST, SECOND] = TRIAL_NAMES;
const plain: TrialCall = {
  name: FIRST,
  arguments: objectOf({ wtkeyb: "two words, ü & <b>", wtkeya: 'a "quoted" one\nand a line' }),
};
const nested: TrialCall = {
  name: SECOND,
  arguments: objectOf({
    wtkeya: "x",
    wtnumber: -1.5,
    wtflag: true,
    wtlist: [1, "it's", { inner: [true, 2] }],
    wtobject: { inner: { deep: "ü" } },
  }),
};

export function testFormat(format: ReplyFormat, trial: ReplyTrial): FormatTest {
  return {
    oneCall: verdict(format, trial, [plain]),
    nestedArguments: verdict(format, trial, [nested]),
    twoCalls: verdict(format, trial, [
      { ...plain, name: SECOND },
      { ...nested, name: FIRST },
    ]),
  };
}

function verdict(format: ReplyFormat, given: ReplyTrial, calls: readonly TrialCall[]): FormatVerdict {
  let trial = given;
  let rendered = trial.calls(calls);
  if (rendered === undefined) {
    trial = given.withNamedIds();
    rendered = trial.calls(calls);
  }
  // Some templates render the first of several calls alone.
  if (rendered === undefined || !calls.every((call) => rendered.includes(call.name))) return "none";
  // Where the calls are messages of their own, a reply holds one.
  if (format.channels === null && trial.header !== "" && rendered.includes(trial.header)) return "none";
  if (!isRead(format, rendered, calls)) return "fails";
  if (format.calls === null) return "read";
  const spelt = spellCalls(
    format.calls,
    calls.map((call, i) => ({ ...call, id: trial.id(call, i) })),
  );
  return rendered.includes(spelt.trim()) ? "exact" : "read";
}

function isRead(format: ReplyFormat, rendered: string, calls: readonly TrialCall[]): boolean {
  let ids = 0;
  const parser = new ReplyParser({
    format,
    opensReasoning: false,
    tools: TRIAL_TOOLS,
    newCallId: () => `wt${ids++}`,
  });
  parser.push(rendered);
  parser.end();
  const read = parser.message().toolCalls;
  return (
    read.length === calls.length &&
    calls.every((call, i) => {
      const found = read[i];
      if (found?.name !== call.name || typeof found.arguments === "string") return false;
      // Gemma's template prints keys sorted.
      const keys = [...call.arguments.keys()];
      const same = keys.every((key) => {
        const value = found.arguments;
        return (
          typeof value !== "string" &&
          writeJson(value.get(key) ?? null) === writeJson(call.arguments.get(key) ?? null)
        );
      });
      return same && found.arguments.size === keys.length;
    })
  );
}
