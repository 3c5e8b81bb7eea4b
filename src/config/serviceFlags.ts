/** How the server runs for long: what it does when it is stopped, crashes, or has nothing to do. */
import { list, number, toggle } from "./flag.ts";

export const SERVICE_FLAGS = {
  warmPrompts: list(
    {
      names: "--warm-prompt",
      help: "files with request bodies whose prompts are prefilled at the start; may be given several times",
    },
    {
      takes: "FILE,…",
      allowed: "names of files, separated by commas",
      item: (part) => (part === "" ? undefined : part),
    },
  ),
  drainSeconds: number(
    {
      names: "--drain-seconds",
      help: "time that a stop signal leaves to the replies that are being written",
    },
    5,
    { min: 0, max: 86_400, whole: false },
  ),
  sleepAfter: number(
    {
      names: "--sleep-after --sleep-idle-seconds",
      env: "LLAMA_ARG_SLEEP_IDLE_SECONDS",
      help: "seconds without a request after which the model is unloaded, until the next one; -1 is never",
    },
    -1,
    { min: -1, max: 86_400 * 365, whole: false },
  ),
  supervise: toggle(
    {
      names: "--supervise",
      negative: "--no-supervise",
      help: "start the server again after a crash, from a second, small process",
    },
    null,
    "on, but not as process 1 of a container",
  ),
};
