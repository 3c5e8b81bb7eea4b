/** Reads turns, runs what begins with a slash, and says the rest. */
import type { Conversation, TurnWatch } from "./Conversation.ts";
import { type ReadLine, readTurn } from "./readTurn.ts";

export interface ChatLoop {
  readonly conversation: Conversation;
  readonly watch: TurnWatch;
  readonly readLine: ReadLine;
  /** Calls `stop` when the person wants the reply to end; gives a function that ends the listening. */
  readonly onStop: (stop: () => void) => () => void;
}

const HELP = `\
/new          forgets the conversation
/system TEXT  sets the system prompt, from the next turn on; without TEXT there is none
/retry        says the last turn again
/exit         leaves, as Ctrl-D does
A backslash at a line's end goes on in the next line. Ctrl-C stops a reply.`;

/** False where any turn failed. */
export async function chatLoop(loop: ChatLoop): Promise<boolean> {
  let good = true;
  for (;;) {
    const text = await readTurn(loop.readLine);
    if (text === null) return good;
    if (text.trim() === "") continue;
    const command = /^\/(\w*)(?:\s+(.*))?$/s.exec(text.trimEnd());
    if (command === null) {
      const said = await stoppable(loop, (signal) => loop.conversation.say(text, loop.watch, signal));
      good = said && good;
      continue;
    }
    const [, name = "", rest = ""] = command;
    if (name === "exit" || name === "quit") return good;
    if (!(await runCommand(name, rest, loop))) good = false;
  }
}

/** False where it failed. */
async function runCommand(name: string, rest: string, loop: ChatLoop): Promise<boolean> {
  const { conversation, watch } = loop;
  switch (name) {
    case "help":
      watch.notice(HELP);
      return true;
    case "new":
      conversation.clear();
      watch.notice("A new conversation.");
      return true;
    case "system":
      conversation.setSystem(rest === "" ? null : rest);
      watch.notice(rest === "" ? "There is no system prompt." : "The system prompt is set.");
      return true;
    case "retry": {
      const said = await stoppable(loop, (signal) => conversation.retry(watch, signal));
      if (said === null) watch.notice("There is no turn to say again.");
      return said ?? true;
    }
    default:
      watch.notice(`There is no /${name}; /help tells what there is.`);
      return false;
  }
}

async function stoppable<T>(loop: ChatLoop, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const end = loop.onStop(() => controller.abort());
  try {
    return await run(controller.signal);
  } finally {
    end();
  }
}
