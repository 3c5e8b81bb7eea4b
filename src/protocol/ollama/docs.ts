/** What Ollama's routes say of themselves. */
import { documented, READING, RUNNING } from "../http/documented.ts";
import {
  OLLAMA_CHAT,
  OLLAMA_CHAT_LINE,
  OLLAMA_CHAT_REQUEST,
  OLLAMA_EMBED_REQUEST,
  OLLAMA_EMBEDDED,
  OLLAMA_EMBEDDING,
  OLLAMA_EMBEDDING_REQUEST,
  OLLAMA_ERROR,
  OLLAMA_GENERATE_REQUEST,
  OLLAMA_GENERATED,
  OLLAMA_GENERATED_LINE,
  OLLAMA_RUNNING,
  OLLAMA_SHOW_REQUEST,
  OLLAMA_SHOWN,
  OLLAMA_TAGS,
  OLLAMA_VERSION,
} from "./schemas.ts";

const COMMON = { tag: "ollama", error: OLLAMA_ERROR } as const;
const EVALUATING = [...READING, "prompt-too-long", "engine-failed", "queue-full", "not-supported"] as const;

export const DOCS = {
  chat: documented({
    ...COMMON,
    summary: "The next message of a conversation, in Ollama's form",
    body: OLLAMA_CHAT_REQUEST,
    answer: OLLAMA_CHAT,
    lines: OLLAMA_CHAT_LINE,
    refuses: RUNNING,
  }),
  generate: documented({
    ...COMMON,
    summary: "A reply to one prompt, in Ollama's form",
    body: OLLAMA_GENERATE_REQUEST,
    answer: OLLAMA_GENERATED,
    lines: OLLAMA_GENERATED_LINE,
    refuses: RUNNING,
  }),
  tags: documented({
    ...COMMON,
    summary: "The model that is served, in a list",
    answer: OLLAMA_TAGS,
    refuses: ["loading", "closing"],
  }),
  running: documented({
    ...COMMON,
    summary: "The model that is loaded, in a list",
    answer: OLLAMA_RUNNING,
    refuses: ["loading", "closing"],
  }),
  version: documented({
    ...COMMON,
    summary: "The version of Ollama's API that is spoken",
    answer: OLLAMA_VERSION,
    refuses: [],
    open: true,
  }),
  show: documented({
    ...COMMON,
    summary: "The model that is served, and what it can do",
    body: OLLAMA_SHOW_REQUEST,
    answer: OLLAMA_SHOWN,
    refuses: READING,
  }),
  embed: documented({
    ...COMMON,
    tag: "embeddings",
    summary: "The embedding of each input, with --embeddings",
    body: OLLAMA_EMBED_REQUEST,
    answer: OLLAMA_EMBEDDED,
    refuses: EVALUATING,
  }),
  embedding: documented({
    ...COMMON,
    tag: "embeddings",
    summary: "The embedding of one prompt, with --embeddings",
    body: OLLAMA_EMBEDDING_REQUEST,
    answer: OLLAMA_EMBEDDING,
    refuses: EVALUATING,
  }),
  manage: documented({
    ...COMMON,
    summary: "Not supported: models are fetched and chosen on the command line",
    answer: null,
    refuses: ["not-supported"],
  }),
};
