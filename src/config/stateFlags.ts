/** Flags for how much room kept states take, and where. */
import { bytes, bytesOrOff, text } from "./flag.ts";

export const STATE_FLAGS = {
  stateRam: bytes(
    { names: "--state-ram", help: "host memory for kept states" },
    null,
    "a quarter of what the weights leave, 8G at most",
  ),
  stateDisk: bytesOrOff(
    {
      names: "--state-disk",
      help: "room for kept states on disk, so that they outlive the process; prompts are on disk then",
    },
    "off",
  ),
  stateDir: text(
    { names: "--state-dir", help: "folder of kept states, by default `states` in the cache folder" },
    "DIR",
  ),
} as const;
