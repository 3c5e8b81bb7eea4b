/** What `warmturn chat` takes beside the server's flags. */
import { choice, number, text } from "./flag.ts";

export const CHAT_FLAGS = {
  url: text({ names: "--url", help: "a server that runs already; else one is started for this chat" }, "URL"),
  system: text({ names: "--system", help: "system prompt" }, "TEXT"),
  tools: choice(
    { names: "--tools", help: "tools that run in this process: demo, by default where no model is named" },
    ["demo", "none"],
    null,
  ),
  predict: number(
    {
      names: "--predict -n --n-predict",
      env: "LLAMA_ARG_N_PREDICT",
      help: "tokens of a reply at most; -1 is no limit",
    },
    -1,
    { min: -1, max: 2 ** 31 - 1, whole: true },
  ),
};
