/** Posting to `/v1/responses`, and its items and tools, for the suites that speak this protocol. */
import {
  type HttpTarget,
  type Loose,
  okEvents,
  okJson,
  type PostOptions,
  postChat,
} from "../support/httpClient.ts";

export const ADD = {
  type: "function",
  name: "add",
  description: "adds",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  strict: false,
} as const;

/** The least that a body needs. */
export const HI = { model: "local", input: "hi" };

export const item = (role: string, content: unknown) => ({ type: "message", role, content });
export const user = (content: unknown) => item("user", content);
export const assistant = (content: unknown) => item("assistant", content);
export const developer = (content: unknown) => item("developer", content);
export const inputText = (text: string) => ({ type: "input_text", text });
export const outputText = (text: string) => ({ type: "output_text", text, annotations: [] });
export const call = (call_id: string, args = "{}", more: object = {}) => ({
  type: "function_call",
  call_id,
  name: "add",
  arguments: args,
  ...more,
});
export const output = (call_id: string, value: unknown) => ({
  type: "function_call_output",
  call_id,
  output: value,
});
export const reasoning = (text: string, more: object = {}) => ({
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text }],
  ...more,
});

export function post(target: HttpTarget, body: unknown, options: PostOptions = {}): Promise<Response> {
  return postChat(target, body, { path: "/v1/responses", ...options });
}

export async function response(target: HttpTarget, body: object, options?: PostOptions): Promise<Loose> {
  return await okJson(await post(target, { ...HI, ...body }, options));
}

/** The events' data, in order; fails where they are not numbered from 0. */
export async function events(target: HttpTarget, body: object, options?: PostOptions): Promise<Loose[]> {
  const read = await okEvents(await post(target, { ...HI, ...body, stream: true }, options));
  for (const [index, event] of read.entries()) {
    if (event.sequence_number !== index)
      throw new Error(`event ${index} is numbered ${event.sequence_number}`);
  }
  return read;
}
