/** What Anthropic's types say of the bodies and events that a server sends. Read by `wireSchemas`. */
import type Anthropic from "@anthropic-ai/sdk";

export interface AnthropicTypes {
  message: Anthropic.Message;
  messageEvent: Anthropic.RawMessageStreamEvent;
  messageCount: Anthropic.MessageTokensCount;
  messageError: Anthropic.ErrorResponse;
}
