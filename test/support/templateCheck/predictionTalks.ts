/**
 * Talks whose next turn is to be predicted: {a user message, a result, two results} next × {first turn, later turn,
 * after a tool loop}, with and without tools; and two that the user breaks off inside a tool loop. All of it goes
 * over the wire as one client sends it.
 */
import type { EchoClient } from "../clients/echo.ts";
import type { WireCall, WireMessage, WireReply, WireRequest, WireTool } from "../clients/wire.ts";

export interface PredictionTalk {
  readonly name: string;
  /** Was answered with `reply`; then came `next`. */
  readonly sent: WireRequest;
  readonly reply: WireReply;
  /** Came in between, with the result of the reply's call, and was broken off. */
  readonly loop?: WireRequest;
  readonly next: WireRequest;
}

const TOOLS: readonly WireTool[] = [
  {
    type: "function",
    function: {
      name: "read",
      description: "Reads a part of a file.",
      parameters: {
        type: "object",
        properties: { path: { type: "string" }, lines: { type: "number" }, "1": { type: "string" } },
        required: ["path"],
      },
    },
  },
];
const SYSTEM: WireMessage = { role: "system", content: "You are short, and you are right." };
const LONG = "It goes on for some words, so that there is something to keep. ";

const user = (content: string): WireMessage => ({ role: "user", content });
const call = (id: string): WireCall => ({
  id,
  type: "function",
  // As a model may write it: not in the schema's order, and with a number that JavaScript writes otherwise.
  function: { name: "read", arguments: `{"lines":2.0, "path":"src/${id}.ts", "1": "é \\"q\\""}` },
});
const said = (what: string, calls: readonly WireCall[] = []): WireReply => ({
  role: "assistant",
  content: what === "" ? null : what,
  reasoning_content: `Let me think. ${LONG}`.trim(),
  ...(calls.length === 0 ? {} : { tool_calls: calls }),
});

/** Next texts that meet an opener's end in different ways. */
const USER_TEXTS = ["Und weiter, bitte.", "\n\n- a list", "9 lives", "<b>so</b>"];

export function predictionTalks(client: EchoClient): PredictionTalk[] {
  const talks: PredictionTalk[] = [];
  for (const [place, history] of Object.entries(histories(client))) {
    for (const tools of place === "after a tool loop" ? [TOOLS] : [TOOLS, []]) {
      const sent: WireRequest = { messages: history, tools };
      for (const [kind, reply] of repliesFor(tools)) {
        const echo = client.echo(reply, tools);
        const text = USER_TEXTS[talks.length % USER_TEXTS.length] ?? "";
        const calls = reply.tool_calls ?? [];
        const answers =
          calls.length === 0
            ? [user(text)]
            : calls.map((one, i) => client.result(one, `${text} result ${i} ${LONG}`));
        talks.push({
          name: `${place}, ${kind}${tools.length === 0 ? ", no tools" : ""}`,
          sent,
          reply,
          next: { messages: [...history, echo, ...answers], tools },
        });
      }
    }
  }
  return talks;
}

/** Call, result, then the user speaks: in a request of its own, or together with the result. */
export function brokenTalks(client: EchoClient): PredictionTalk[] {
  return Object.entries(histories(client)).flatMap(([place, history]) => {
    const sent: WireRequest = { messages: history, tools: TOOLS };
    const reply = said("", [call("call0000z")]);
    const result = client.result(call("call0000z"), `Not found. ${LONG}`);
    const loop: WireRequest = { messages: [...history, client.echo(reply, TOOLS), result], tools: TOOLS };
    const next = { messages: [...loop.messages, user("Stop. Do something else.")], tools: TOOLS };
    return [
      { name: `${place}, broken off`, sent, reply, loop, next },
      { name: `${place}, broken off at once`, sent, reply, next },
    ];
  });
}

/** A tool loop that is under way is one of its own: what a template prints of it may go with the next user text. */
function histories(client: EchoClient): Record<string, readonly WireMessage[]> {
  const loop = said("I look.", [call("call0000a")]);
  const question = user(`What is in the file? ${LONG}`);
  return {
    "first turn": [SYSTEM, question],
    "later turn": [question, client.echo(said(`It is a test. ${LONG}`), TOOLS), user(`And then? ${LONG}`)],
    "after a tool loop": [
      SYSTEM,
      user(`And before? ${LONG}`),
      client.echo(said("Nothing."), TOOLS),
      question,
      client.echo(loop, TOOLS),
      client.result(call("call0000a"), `A file of text. ${LONG}`),
    ],
  };
}

function repliesFor(tools: readonly WireTool[]): [string, WireReply][] {
  const answer: [string, WireReply] = ["user next", said(`That is all. ${LONG}`.trim())];
  if (tools.length === 0) return [answer];
  return [
    answer,
    ["tool next", said("", [call("call0000b")])],
    ["two results", said("I look at both.", [call("call0000c"), call("call0000d")])],
  ];
}
