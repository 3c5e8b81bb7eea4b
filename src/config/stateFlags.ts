/** Flags for how much room kept states take and where, whom they serve, and what is told of them. */
import { bytes, bytesOrOff, number, text, toggle } from "./flag.ts";

export const STATE_FLAGS = {
  taperTokens: number(
    {
      names: "--taper-tokens",
      help: "a stretch behind so many tokens is half as long; 0 off, -1 by the model",
    },
    -1,
    { min: -1, max: 2 ** 24, whole: true, defaultText: "by the model on a CPU, else 0" },
  ),
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
  shareStates: toggle(
    {
      names: "--share-states",
      help: "let kept states serve whatever key asks, for set-ups whose users trust each other",
    },
    false,
  ),
  redact: toggle(
    { names: "--redact", help: "tell no text of prompts where a turn was not warm, only places" },
    false,
  ),
} as const;
