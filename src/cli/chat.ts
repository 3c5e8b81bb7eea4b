/** `warmturn chat`: a chat in the terminal, or of lines on stdin, over HTTP as any other client has it. */
import { createInterface } from "node:readline";
import { stderrWriter, stdoutWriter } from "../base/log.ts";
import { wrap } from "../base/wrap.ts";
import { ConfigError } from "../config/ConfigError.ts";
import { CHAT_FLAGS } from "../config/chatFlags.ts";
import { FLAGS } from "../config/flags.ts";
import { flagRows, type HelpGroup } from "../config/help.ts";
import { type Env, parseTable } from "../config/parseFlags.ts";
import { ChatClient } from "./chat/ChatClient.ts";
import { ChatTools } from "./chat/ChatTools.ts";
import { Conversation } from "./chat/Conversation.ts";
import { type ChatLoop, chatLoop } from "./chat/chatLoop.ts";
import { DEMO_TOOLS } from "./chat/demoTools.ts";
import { type OpenedServer, ownServer, runningServer } from "./chat/openServer.ts";
import { PlainTranscript } from "./chat/PlainTranscript.ts";
import { plainChars } from "./chat/plainChars.ts";
import { TerminalInput } from "./chat/TerminalInput.ts";
import { TerminalTranscript } from "./chat/TerminalTranscript.ts";
import { type Look, lookOf, paint } from "./Look.ts";

export const helpGroups: readonly HelpGroup[] = [
  {
    title: "Flags",
    rows: [
      ...flagRows({ ...CHAT_FLAGS, model: FLAGS.model, alias: FLAGS.alias, apiKeys: FLAGS.apiKeys }),
      { left: "…", right: "without --url, all flags of the server: warmturn --help" },
    ],
  },
];

/** 1 where a turn failed. Throws ConfigError, StartError and CommandError. */
export async function run(argv: readonly string[], env: Env): Promise<number> {
  const table = { ...FLAGS, ...CHAT_FLAGS };
  const { flags, notes } = parseTable(table, argv, env);
  for (const note of notes) stderrWriter()(`warmturn: ${note}\n`);
  if (flags.url !== null && parseTable(table, argv, {}).flags.model !== null) {
    throw new ConfigError("--url and --model exclude each other; the name in requests is --alias.");
  }
  // A terminal whose lines cannot be written over has no line editor either.
  const isTerminal = process.stdin.isTTY === true && lookOf(process.stdout, env).moves;
  const look = lookOf(isTerminal ? process.stdout : {}, env);
  const write = stdoutWriter();
  const server =
    flags.url === null ? await ownServer(flags, env, look, write) : runningServer(flags.url, flags);
  try {
    const model = flags.alias ?? (await modelOf(server, look));
    const client = new ChatClient(server, { model, maxTokens: flags.predict < 0 ? null : flags.predict });
    const isDemo = flags.url === null && flags.model === null;
    const tools = new ChatTools((flags.tools ?? (isDemo ? "demo" : "none")) === "demo" ? DEMO_TOOLS : []);
    if (isTerminal) showHeading(heading(model, server, tools), look);
    const conversation = new Conversation(client, tools, flags.system);
    const ends = isTerminal ? onTerminal(env) : onLines(write);
    try {
      return (await chatLoop({ conversation, ...ends })) ? 0 : 1;
    } finally {
      ends.close();
    }
  } finally {
    await server.stop();
  }
}

async function modelOf(server: OpenedServer, look: Look): Promise<string> {
  let told = false;
  return await ChatClient.modelOf(server, () => {
    if (!told && look.isTerminal) process.stdout.write("The server is loading its model …\n");
    told = true;
  });
}

function showHeading(text: string, look: Look): void {
  for (const line of wrap(text, look.columns - 1)) process.stdout.write(`${paint(look, "dim", line)}\n`);
}

function heading(model: string, server: OpenedServer, tools: ChatTools): string {
  const offered = tools.names.length === 0 ? "" : `; tools: ${tools.names.join(", ")}`;
  return `${model} at ${server.base}${offered}. /help tells what can be typed.`;
}

interface Ends extends Omit<ChatLoop, "conversation"> {
  readonly close: () => void;
}

function onTerminal(env: Env): Ends {
  const input = new TerminalInput(process.stdin, process.stdout);
  const look = (): Look => lookOf(process.stdout, env);
  return {
    watch: new TerminalTranscript((piece) => void process.stdout.write(piece), look),
    readLine: (first) => input.readLine(first ? "> " : "… "),
    onStop: (stop) => input.onInterrupt(stop),
    close: () => input.close(),
  };
}

/** A signal ends a script as it ends any other. */
function onLines(write: (text: string) => void): Ends {
  const lines = createInterface({ input: process.stdin, terminal: false })[Symbol.asyncIterator]();
  const notes = stderrWriter();
  const text = process.stdout.isTTY === true ? (piece: string) => write(plainChars(piece)) : write;
  return {
    // Not console.error, which is red on a terminal, also on one that has no colours.
    watch: new PlainTranscript(text, (line) => notes(`${plainChars(line)}\n`)),
    readLine: async () => {
      const next = await lines.next();
      return next.done === true ? null : next.value;
    },
    onStop: () => () => {},
    close: () => {},
  };
}
