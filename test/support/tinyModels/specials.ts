/**
 * The special tokens of every tiny model: several template families side by side, so that message text may
 * hold the spelling of any family's marker. Spellings are public markers of those families.
 */

/** Matched only where special tokens are asked for. */
const CONTROL = [
  // ChatML
  "<|im_start|>",
  "<|im_end|>",
  "<|endoftext|>",
  // LFM2
  "<|startoftext|>",
  "<|tool_list_start|>",
  "<|tool_list_end|>",
  // Gemma
  "<bos>",
  "<eos>",
  "<start_of_turn>",
  "<end_of_turn>",
  // Llama 3
  "<|begin_of_text|>",
  "<|end_of_text|>",
  "<|start_header_id|>",
  "<|end_header_id|>",
  "<|eot_id|>",
  // Mistral
  "<s>",
  "</s>",
  "[INST]",
  "[/INST]",
  "[AVAILABLE_TOOLS]",
  "[/AVAILABLE_TOOLS]",
  "[TOOL_CALLS]",
  "[TOOL_RESULTS]",
  "[/TOOL_RESULTS]",
  "[SYSTEM_PROMPT]",
  "[/SYSTEM_PROMPT]",
] as const;

/** Matched in plain text too. */
const USER_DEFINED = [
  "<think>",
  "</think>",
  "<tools>",
  "</tools>",
  "<tool_call>",
  "</tool_call>",
  "<tool_response>",
  "</tool_response>",
  // Gemma 4
  "<|tool_call>",
  "<tool_call|>",
  "<|channel>",
  "<channel|>",
  // Command R
  "<|START_OF_TURN_TOKEN|>",
  "<|END_OF_TURN_TOKEN|>",
  "<|USER_TOKEN|>",
  "<|CHATBOT_TOKEN|>",
  "<|SYSTEM_TOKEN|>",
] as const;

export type ControlToken = (typeof CONTROL)[number];

export interface Special {
  readonly text: string;
  readonly kind: "control" | "user-defined";
}

export const SPECIALS: readonly Special[] = [
  ...CONTROL.map((text): Special => ({ text, kind: "control" })),
  ...USER_DEFINED.map((text): Special => ({ text, kind: "user-defined" })),
];
