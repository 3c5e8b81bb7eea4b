/** What is read of a body is documented, and nothing else is. */
import { expect, test } from "bun:test";
import type { TObject } from "@sinclair/typebox";
import type { Json } from "../../../../src/json/json.ts";
import { isJsonObject } from "../../../../src/json/kinds.ts";
import { fromPlain } from "../../../../src/json/plainJson.ts";
import { readCountRequest, readMessagesRequest } from "../../../../src/protocol/anthropic/model.ts";
import { COUNT_REQUEST, MESSAGES_REQUEST } from "../../../../src/protocol/anthropic/schemas.ts";
import { readTextRequest } from "../../../../src/protocol/completions/textModel.ts";
import { TEXT_REQUEST } from "../../../../src/protocol/completions/textSchemas.ts";
import { readCompletionRequest, readInfillRequest } from "../../../../src/protocol/llama/model.ts";
import {
  COMPLETION_REQUEST,
  DETOKENIZE_REQUEST,
  INFILL_REQUEST,
  TOKENIZE_REQUEST,
} from "../../../../src/protocol/llama/schemas.ts";
import { readDetokenizeRequest, readTokenizeRequest } from "../../../../src/protocol/llama/tokens.ts";
import * as ollama from "../../../../src/protocol/ollama/model.ts";
import { OLLAMA_CHAT_REQUEST, OLLAMA_GENERATE_REQUEST } from "../../../../src/protocol/ollama/schemas.ts";
import { readChatRequest } from "../../../../src/protocol/openai/model.ts";
import { CHAT_REQUEST } from "../../../../src/protocol/openai/schemas.ts";
import { readResponsesRequest } from "../../../../src/protocol/responses/model.ts";
import { RESPONSES_REQUEST } from "../../../../src/protocol/responses/schemas.ts";
import { BYTE_SAMPLING } from "../../../support/sampling.ts";

/** A body that notes which of its fields are asked for. */
class NotedBody extends Map<string, Json> {
  readonly asked = new Set<string>();

  override get(key: string): Json | undefined {
    this.asked.add(key);
    return super.get(key);
  }
}

const OPTIONS = { sampling: BYTE_SAMPLING, keepAttribution: false };
const STORED = { response: () => undefined, item: () => undefined };

const READERS: readonly [string, TObject, (body: NotedBody) => unknown][] = [
  ["chat completions", CHAT_REQUEST, (body) => readChatRequest(body, BYTE_SAMPLING)],
  ["completions, llama-server's", COMPLETION_REQUEST, (body) => readCompletionRequest(body, BYTE_SAMPLING)],
  ["completions, OpenAI's", TEXT_REQUEST, (body) => readTextRequest(body, BYTE_SAMPLING)],
  ["infill", INFILL_REQUEST, (body) => readInfillRequest(body, BYTE_SAMPLING)],
  ["tokenize", TOKENIZE_REQUEST, (body) => readTokenizeRequest(body, 256, 1000)],
  ["detokenize", DETOKENIZE_REQUEST, (body) => readDetokenizeRequest(body, 256)],
  ["messages", MESSAGES_REQUEST, (body) => readMessagesRequest(body, OPTIONS)],
  ["count_tokens", COUNT_REQUEST, (body) => readCountRequest(body, false)],
  ["Ollama's chat", OLLAMA_CHAT_REQUEST, (body) => ollama.readChatRequest(body, BYTE_SAMPLING)],
  ["Ollama's generate", OLLAMA_GENERATE_REQUEST, (body) => ollama.readGenerateRequest(body, BYTE_SAMPLING)],
  ["responses", RESPONSES_REQUEST, (body) => readResponsesRequest(body, { ...OPTIONS, stored: STORED })],
];

test.each(READERS)("the fields of %s", (_, { properties, examples }, read) => {
  const example = fromPlain(examples?.[0]);
  const body = new NotedBody(isJsonObject(example) ? example : []);
  read(body);
  const documented = Object.entries(properties).filter(([, schema]) => schema["x-ignored"] !== true);
  expect([...body.asked].sort()).toEqual(documented.map(([name]) => name).sort());
});
