/** Families whose calls are one JSON object each, or a list of those. */
import { unrenderedCalls } from "../../../../src/chat/formats/knownFormats.ts";
import { USUAL_FORMAT } from "../../../../src/chat/formats/ReplyFormat.ts";
import {
  ARGUMENTS,
  cohere,
  EDIT_JSON,
  type Family,
  format,
  hermes,
  json,
  NAME,
  object,
  pythonEdit,
  RUN_JSON,
  rPlus,
  THINK,
  thought,
} from "./familyForms.ts";

export const OBJECT_FAMILIES: Readonly<Record<string, Family>> = {
  "Hermes and Qwen": {
    format: USUAL_FORMAT,
    thought,
    one: hermes("edit", EDIT_JSON),
    two: `${hermes("edit", EDIT_JSON)}\n${hermes("run", RUN_JSON)}`,
  },
  Nemotron: {
    format: format(json("<TOOLCALL>[", "]</TOOLCALL>"), { reasoning: THINK }),
    thought,
    one: `<TOOLCALL>[${object("edit", EDIT_JSON)}]</TOOLCALL>`,
    two: `<TOOLCALL>[${object("edit", EDIT_JSON)}, ${object("run", RUN_JSON)}]</TOOLCALL>`,
  },
  "MiniMax-M1": {
    format: format(json("<tool_calls>\n", "\n</tool_calls>", { separator: "\n" })),
    one: `<tool_calls>\n${object("edit", EDIT_JSON)}\n</tool_calls>`,
    two: `<tool_calls>\n${object("edit", EDIT_JSON)}\n${object("run", RUN_JSON)}\n</tool_calls>`,
  },
  Apriel: {
    format: format(json("<tool_calls>[", "]</tool_calls>"), {
      reasoning: { start: "Here are my reasoning steps:", end: "[BEGIN FINAL RESPONSE]" },
    }),
    thought: "Here are my reasoning steps:\nhm\n[BEGIN FINAL RESPONSE]\n",
    one: `<tool_calls>[{"name": "edit", "arguments": ${EDIT_JSON}, "id": "0"}]</tool_calls>`,
    two: `<tool_calls>[${object("edit", EDIT_JSON)}, ${object("run", RUN_JSON)}]</tool_calls>`,
  },
  Apertus: {
    format: format(
      { ...json("<|tools_prefix|>[", "]<|tools_suffix|>"), parts: ['{"', NAME, '": ', ARGUMENTS, "}"] },
      {
        reasoning: { start: "<|inner_prefix|>", end: "<|inner_suffix|>" },
      },
    ),
    thought: "<|inner_prefix|>hm<|inner_suffix|>",
    one: `<|tools_prefix|>[{"edit": ${EDIT_JSON}}]<|tools_suffix|>`,
    two: `<|tools_prefix|>[{"edit": ${EDIT_JSON}}, {"run": ${RUN_JSON}}]<|tools_suffix|>`,
  },
  "granite 3.3": {
    format: {
      reasoning: THINK,
      textMarks: ["<response>", "</response>"],
      channels: null,
      calls: unrenderedCalls("<|tool_call|>", []),
    },
    thought: "<think>hm</think>",
    text: (said) => `<response>${said}</response>`,
    one: `<|tool_call|>[${object("edit", EDIT_JSON)}]`,
    two: `<|tool_call|>[${object("edit", EDIT_JSON)}, ${object("run", RUN_JSON)}]`,
  },
  "Command-R+": {
    format: format({
      ...json("Action:\n```json\n[", "\n]```", { separator: "," }),
      parts: ['\n    {\n        "tool_name": "', NAME, '",\n        "parameters": ', ARGUMENTS, "\n    }"],
    }),
    one: rPlus(`    {\n        "tool_name": "edit",\n        "parameters": ${EDIT_JSON}\n    }`),
    two: rPlus(
      `    {\n        "tool_name": "edit",\n        "parameters": ${EDIT_JSON}\n    },\n    {"tool_name": "run", "parameters": ${RUN_JSON}}`,
    ),
  },
  "Command-R7B": {
    format: format(
      {
        ...json("<|START_ACTION|>[", "\n]<|END_ACTION|>", { separator: "," }),
        parts: [
          '\n    {"tool_call_id": "',
          { slot: "index" },
          '", "tool_name": "',
          NAME,
          '", "parameters": ',
          ARGUMENTS,
          "}",
        ],
      },
      {
        reasoning: { start: "<|START_THINKING|>", end: "<|END_THINKING|>" },
        textMarks: ["<|START_RESPONSE|>", "<|END_RESPONSE|>"],
      },
    ),
    thought: "<|START_THINKING|>hm<|END_THINKING|>",
    text: (said) => `<|START_RESPONSE|>${said}<|END_RESPONSE|>`,
    one: cohere(`{"tool_call_id": "0", "tool_name": "edit", "parameters": ${EDIT_JSON}}`),
    two: cohere(
      `{"tool_call_id": "0", "tool_name": "edit", "parameters": ${EDIT_JSON}},\n    {"tool_call_id": "1", "tool_name": "run", "parameters": ${RUN_JSON}}`,
    ),
  },
  firefunction: {
    format: format(json(" functools[", "]")),
    one: ` functools[${object("edit", EDIT_JSON)}]`,
    two: ` functools[${object("edit", EDIT_JSON)}, ${object("run", RUN_JSON)}]`,
  },
  GigaChat: {
    format: format(
      {
        ...json("", "", { several: false }),
        parts: [
          '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "',
          NAME,
          '", "arguments": ',
          ARGUMENTS,
          "}",
        ],
      },
      { textMarks: ["<|message_sep|>"] },
    ),
    one: `<|message_sep|>\n\nfunction call<|role_sep|>\n${object("edit", EDIT_JSON)}`,
  },
  "Mistral v3": {
    format: format({
      ...json("[TOOL_CALLS][", "]"),
      parts: ['{"name": "', NAME, '", "arguments": ', ARGUMENTS, ', "id": "', { slot: "id" }, '"}'],
    }),
    one: `[TOOL_CALLS][{"name": "edit", "arguments": ${EDIT_JSON}, "id": "abcdefgh1"}]`,
    two: `[TOOL_CALLS] [{"name": "edit", "arguments": ${EDIT_JSON}, "id": "abcdefgh1"}, ${object("run", RUN_JSON)}]`,
  },
  "Mistral v11": {
    format: format(
      { parts: ["[TOOL_CALLS]", NAME, "[ARGS]", ARGUMENTS] },
      { reasoning: { start: "[THINK]", end: "[/THINK]" } },
    ),
    thought: "[THINK]hm[/THINK]",
    one: `[TOOL_CALLS]edit[ARGS]${EDIT_JSON}`,
    two: `[TOOL_CALLS]edit[ARGS]${EDIT_JSON}[TOOL_CALLS]run[ARGS]${RUN_JSON}`,
  },
  "Mistral v13": {
    format: format({ parts: ["[TOOL_CALLS]", NAME, "[CALL_ID]", { slot: "id" }, "[ARGS]", ARGUMENTS] }),
    one: `[TOOL_CALLS]edit[CALL_ID]abcdefgh1[ARGS]${EDIT_JSON}`,
    two: `[TOOL_CALLS]edit[CALL_ID]abcdefgh1[ARGS]${EDIT_JSON}[TOOL_CALLS]run[CALL_ID]abcdefgh2[ARGS]${RUN_JSON}`,
  },
  "Llama 3, JSON": {
    format: format({
      ...json("", "", { several: false, bare: true }),
      parts: ['{"name": "', NAME, '", "parameters": ', ARGUMENTS, "}"],
    }),
    one: `{"name": "edit", "parameters": ${EDIT_JSON}}`,
    two: `{"name": "edit", "parameters": ${EDIT_JSON}}; {"name": "run", "parameters": ${RUN_JSON}}`,
  },
  "Llama 3, keywords": {
    format: format({
      ...json("", "", { several: false, bare: true }),
      parts: ['{"name": "', NAME, '", "parameters": ', ARGUMENTS, "}"],
    }),
    one: `[${pythonEdit}]`,
    two: `[${pythonEdit}, run(force=True)]`,
  },
};
