/** The self-test of a call format: calls that inference has not seen, spelt and read against the template's render. */
import { writeJson } from "../../json/writeJson.ts";
import { ReplyParser } from "../replyParser.ts";
import type { ReplyFormat } from "./ReplyFormat.ts";
import { objectOf, PROBE_NAMES, PROBE_TOOLS, type ProbeCall, type ReplyProbe } from "./ReplyProbe.ts";
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

const [FIRST, SECOND] = PROBE_NAMES;
const plain: ProbeCall = {
  name: FIRST,
  arguments: objectOf({ wtkeyb: "two words, ü & <b>", wtkeya: 'a "quoted" one\nand a line' }),
};
const nested: ProbeCall = {
  name: SECOND,
  arguments: objectOf({
    wtkeya: "x",
    wtnumber: -1.5,
    wtflag: true,
    wtlist: [1, "it's", { inner: [true, 2] }],
    wtobject: { inner: { deep: "ü" } },
  }),
};

export function testFormat(format: ReplyFormat, probe: ReplyProbe): FormatTest {
  return {
    oneCall: verdict(format, probe, [plain]),
    nestedArguments: verdict(format, probe, [nested]),
    twoCalls: verdict(format, probe, [
      { ...plain, name: SECOND },
      { ...nested, name: FIRST },
    ]),
  };
}

function verdict(format: ReplyFormat, given: ReplyProbe, calls: readonly ProbeCall[]): FormatVerdict {
  let probe = given;
  let rendered = probe.calls(calls);
  if (rendered === undefined) {
    probe = given.withNamedIds();
    rendered = probe.calls(calls);
  }
  // Some templates render the first of several calls alone.
  if (rendered === undefined || !calls.every((call) => rendered.includes(call.name))) return "none";
  // Where the calls are messages of their own, a reply holds one.
  if (format.channels === null && probe.header !== "" && rendered.includes(probe.header)) return "none";
  if (!isRead(format, rendered, calls)) return "fails";
  if (format.calls === null) return "read";
  const spelt = spellCalls(
    format.calls,
    calls.map((call, i) => ({ ...call, id: probe.id(call, i) })),
  );
  return rendered.includes(spelt.trim()) ? "exact" : "read";
}

function isRead(format: ReplyFormat, rendered: string, calls: readonly ProbeCall[]): boolean {
  let ids = 0;
  const parser = new ReplyParser({
    format,
    opensReasoning: false,
    tools: PROBE_TOOLS,
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
      // Gemma's come sorted.
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
