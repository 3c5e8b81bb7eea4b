/** What OpenAI's types say of the bodies and events that a server sends. Read by `wireSchemas`. */
import type OpenAI from "openai";

/** The SDK itself puts `output_text` in. Until the end `usage` is null, as from OpenAI, whatever its types say. */
type SentResponse = Omit<OpenAI.Responses.Response, "output_text" | "usage"> & {
  usage: OpenAI.Responses.ResponseUsage | null;
};

type Lifecycle =
  | OpenAI.Responses.ResponseCreatedEvent
  | OpenAI.Responses.ResponseInProgressEvent
  | OpenAI.Responses.ResponseCompletedEvent
  | OpenAI.Responses.ResponseIncompleteEvent
  | OpenAI.Responses.ResponseFailedEvent;

/** Null until the end, as from OpenAI, whatever its types say. */
type TextChunkChoice = Omit<OpenAI.CompletionChoice, "finish_reason"> & {
  finish_reason: OpenAI.CompletionChoice["finish_reason"] | null;
};

/** Those that this server sends; each by its own type, so that a failure names what is wrong with it. */
export interface OpenAiTypes {
  completion: OpenAI.Chat.ChatCompletion;
  completionChunk: OpenAI.Chat.ChatCompletionChunk;
  textCompletion: OpenAI.Completion;
  textChunk: Omit<OpenAI.Completion, "choices"> & { choices: TextChunkChoice[] };
  model: OpenAI.Model;
  response: SentResponse;
  responseLifecycle: Omit<Lifecycle, "response"> & { response: SentResponse };
  responseItemEvent:
    | OpenAI.Responses.ResponseOutputItemAddedEvent
    | OpenAI.Responses.ResponseOutputItemDoneEvent;
  responsePartEvent:
    | OpenAI.Responses.ResponseContentPartAddedEvent
    | OpenAI.Responses.ResponseContentPartDoneEvent
    | OpenAI.Responses.ResponseTextDeltaEvent
    | OpenAI.Responses.ResponseTextDoneEvent
    | OpenAI.Responses.ResponseReasoningSummaryPartAddedEvent
    | OpenAI.Responses.ResponseReasoningSummaryPartDoneEvent
    | OpenAI.Responses.ResponseReasoningSummaryTextDeltaEvent
    | OpenAI.Responses.ResponseReasoningSummaryTextDoneEvent
    | OpenAI.Responses.ResponseFunctionCallArgumentsDeltaEvent
    | OpenAI.Responses.ResponseFunctionCallArgumentsDoneEvent
    | OpenAI.Responses.ResponseCustomToolCallInputDeltaEvent
    | OpenAI.Responses.ResponseCustomToolCallInputDoneEvent;
}
