/** What llama-server's routes say of themselves. */
import type { AppErrorCode } from "../../base/AppError.ts";
import { documented, READING, RUNNING } from "../http/documented.ts";
import { CHAT_REQUEST } from "../openai/schemas.ts";
import {
  COMPLETION_ANSWER,
  COMPLETION_EVENT,
  COMPLETION_REQUEST,
  DETOKENIZE_REQUEST,
  DETOKENIZED,
  LLAMA_ERROR as error,
  INFILL_REQUEST,
  LORA_ADAPTERS,
  PROMPT_TEXT,
  PROPS,
  SLOTS,
  SUCCESS,
  TOKENIZE_REQUEST,
  TOKENIZED,
  VERSION,
} from "./schemas.ts";

const WAITING: readonly AppErrorCode[] = ["loading", "closing"];
const server = { tag: "server", error, refuses: WAITING } as const;

export const DOCS = {
  completion: documented({
    tag: "completions",
    summary: "Continues a prompt, in llama-server's form",
    body: COMPLETION_REQUEST,
    answer: COMPLETION_ANSWER,
    events: COMPLETION_EVENT,
    error,
    refuses: RUNNING,
  }),
  infill: documented({
    tag: "completions",
    summary: "Fills in the text between two others, in llama-server's form",
    description: "Only for models that have the tokens for it.",
    body: INFILL_REQUEST,
    answer: COMPLETION_ANSWER,
    events: COMPLETION_EVENT,
    error,
    refuses: RUNNING,
  }),
  tokenize: documented({
    tag: "tokens",
    summary: "The tokens of a text",
    body: TOKENIZE_REQUEST,
    answer: TOKENIZED,
    error,
    refuses: READING,
  }),
  detokenize: documented({
    tag: "tokens",
    summary: "The text of tokens",
    body: DETOKENIZE_REQUEST,
    answer: DETOKENIZED,
    error,
    refuses: READING,
  }),
  applyTemplate: documented({
    tag: "tokens",
    summary: "The prompt that the chat template makes of messages",
    body: CHAT_REQUEST,
    answer: PROMPT_TEXT,
    error,
    refuses: [...READING, "template-refused", "prefill-unsupported", "not-supported"],
  }),
  props: documented({ ...server, summary: "The model and the settings", answer: PROPS }),
  setProps: documented({
    ...server,
    summary: "Not supported: settings cannot be changed while the server runs",
    answer: null,
    refuses: [...WAITING, "not-supported"],
  }),
  slots: documented({
    ...server,
    summary: "The lanes (slots), and what each of them does",
    description: "With fail_on_no_slot=1 the answer is a 503 if all lanes are busy. Off with --no-slots.",
    answer: SLOTS,
    refuses: [...WAITING, "no-slot", "not-supported"],
  }),
  slotAction: documented({
    ...server,
    summary: "Not supported: states are kept without being asked, and cannot be saved by name",
    answer: null,
    refuses: [...WAITING, "not-supported"],
  }),
  metrics: documented({
    ...server,
    summary: "Metrics for Prometheus; on a loopback address, or with --metrics",
    answer: "text/plain",
    refuses: [...WAITING, "not-supported"],
  }),
  lora: documented({ ...server, summary: "Always an empty list", answer: LORA_ADAPTERS }),
  setLora: documented({
    ...server,
    summary: "Takes an empty list only",
    answer: SUCCESS,
    refuses: READING,
  }),
  version: documented({ ...server, summary: "This program's version", answer: VERSION }),
};
