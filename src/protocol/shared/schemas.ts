/** Schemas that several protocols document: errors in OpenAI's form, usage, the heading of an answer. */
import { Type } from "@sinclair/typebox";
import { nullable } from "../http/schemas.ts";

export const OPENAI_ERROR = Type.Object(
  {
    error: Type.Object({
      message: Type.String(),
      type: Type.String({ description: "invalid_request_error, authentication_error, … " }),
      param: nullable(
        Type.String({ description: "Path of the field that is wrong, such as messages[2].content." }),
      ),
      code: nullable(Type.String({ description: "Such as context_length_exceeded." })),
    }),
  },
  { $id: "OpenAiError", description: "The body of the answer, or the last event of a stream." },
);

export const USAGE = Type.Object(
  {
    prompt_tokens: Type.Integer(),
    completion_tokens: Type.Integer(),
    total_tokens: Type.Integer(),
    prompt_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
    completion_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
  },
  { $id: "ChatUsage" },
);

export const HEADING = {
  id: Type.String(),
  created: Type.Integer({ description: "Seconds since 1970." }),
  model: Type.String(),
  system_fingerprint: Type.String({ description: "A hash of model, library, machine and settings." }),
};
