/**
 * What a route says of itself. It goes into Elysia's `detail`, of which `/openapi.json` is made; `createApp`
 * refuses a route that says nothing. Bodies are documented by schemas and read by hand: Elysia would parse
 * them, which loses the order of keys and the digits of numbers.
 */
import { type TSchema, Type } from "@sinclair/typebox";
import { type AppErrorCode, errorRow } from "../../base/AppError.ts";

export type Tag =
  | "chat"
  | "completions"
  | "embeddings"
  | "tokens"
  | "messages"
  | "responses"
  | "ollama"
  | "models"
  | "server";

export interface RouteDoc {
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Of the request; its first example is a body that is answered. */
  readonly body?: TSchema;
  /** Of the 200; null where it has no body. A text is its content type. */
  readonly answer: TSchema | string | null;
  /** The data of each server-sent event, where the request may ask for a stream. */
  readonly events?: TSchema;
  /** The same where a stream is lines of JSON. */
  readonly lines?: TSchema;
  /** The protocol's error form. */
  readonly error: TSchema;
  /** What it may be refused for. */
  readonly refuses: readonly AppErrorCode[];
  /** Answered without an API key. */
  readonly open?: boolean;
}

/** What any route with a body may be refused for, besides a missing key. */
export const READING: readonly AppErrorCode[] = [
  "invalid-request",
  "model-not-found",
  "body-too-large",
  "unsupported-media",
  "loading",
  "closing",
];

/** What a route that runs the model may be refused for, besides. */
export const RUNNING: readonly AppErrorCode[] = [
  ...READING,
  "prompt-too-long",
  "grammar-invalid",
  "grammar-dead-end",
  "template-refused",
  "prefill-unsupported",
  "queue-full",
  "engine-failed",
  "not-supported",
];

const MEANING: Readonly<Record<AppErrorCode, string>> = {
  "invalid-request": "a field of the body is wrong, or it is no JSON",
  "prompt-too-long": "the prompt does not fit the context",
  "grammar-invalid": "the grammar does not parse",
  "grammar-dead-end": "the grammar or schema leads to nothing",
  "template-refused": "the chat template refuses the messages",
  "prefill-unsupported": "the template cannot continue an assistant's message",
  unauthorized: "no API key, or an unknown one",
  "host-refused": "no key is set, and the Host header names neither this machine nor one of --allowed-hosts",
  "origin-refused": "no key is set, and a page of this origin is not one of --cors-origins",
  "not-found": "there is nothing of this name",
  "model-not-found": "another model is served",
  "method-not-allowed": "the path takes other methods",
  "body-too-large": "the body is too large",
  "unsupported-media": "the content type is not JSON",
  "queue-full": "too many requests run or wait",
  "engine-failed": "the engine failed",
  "no-slot": "every lane is busy",
  "not-supported": "it is switched off, or the model cannot do it",
  internal: "an error of the server",
  loading: "the model is still loading",
  closing: "the server is shutting down",
};

/** Elysia's hook for the route. */
export function documented(doc: RouteDoc) {
  const { tag, summary, description, body, open } = doc;
  const detail = {
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(open === true ? { security: [] } : {}),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: body } } } }),
    responses: responsesOf(doc),
  };
  // The body is not parsed here: the service reads the raw text, and only once the request is not refused for other
  // reasons.
  return { parse: [() => "unread"], detail };
}

const REQUEST_ID = {
  description: "The id that the client sent, if it is short and plain; else a new one.",
  schema: Type.String(),
};
const RETRY_AFTER = { description: "Seconds to wait.", schema: Type.Integer({ minimum: 1 }) };

function responsesOf({ answer, events, lines, error, refuses, open }: RouteDoc) {
  const codes: readonly AppErrorCode[] = [...refuses, ...keyed(open), ...FROM_ELSEWHERE, "internal"];
  const byStatus = Map.groupBy(codes, (code) => errorRow(code).status);
  const refusals = [...byStatus].map(([status, some]) => [
    status,
    {
      description: some.map((code) => MEANING[code]).join("; "),
      headers: {
        "x-request-id": REQUEST_ID,
        ...(status === 429 || status === 503 ? { "retry-after": RETRY_AFTER } : {}),
      },
      content: { "application/json": { schema: error } },
    },
  ]);
  const stream = {
    ...(events === undefined ? {} : { "text/event-stream": { schema: events } }),
    ...(lines === undefined ? {} : { "application/x-ndjson": { schema: lines } }),
  };
  const whole =
    typeof answer === "string"
      ? { [answer]: { schema: Type.String() } }
      : { "application/json": { schema: answer } };
  const ok = {
    description:
      Object.keys(stream).length === 0
        ? "The answer"
        : "The answer; as events where the body asks for a stream",
    headers: { "x-request-id": REQUEST_ID },
    ...(answer === null ? {} : { content: { ...whole, ...stream } }),
  };
  return { 200: ok, ...Object.fromEntries(refusals) };
}

/** Any route, where no key is set. */
const FROM_ELSEWHERE: readonly AppErrorCode[] = ["host-refused", "origin-refused"];

function keyed(open: boolean | undefined): readonly AppErrorCode[] {
  return open === true ? [] : ["unauthorized"];
}
