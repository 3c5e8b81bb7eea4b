/** What OpenAI's types say of the bodies and events that a server sends. Read by `wireSchemas`. */
import type OpenAI from "openai";

export interface OpenAiTypes {
  completion: OpenAI.Chat.ChatCompletion;
  completionChunk: OpenAI.Chat.ChatCompletionChunk;
  model: OpenAI.Model;
}
