/** Posting to `/v1/messages`, and its tools and bodies, for the suites that speak Anthropic's protocol. */
import {
  type HttpTarget,
  type Loose,
  okEvents,
  okJson,
  type PostOptions,
  postChat,
} from "../support/httpClient.ts";

export const ADD = {
  name: "add",
  description: "adds",
  input_schema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
} as const;

/** The least that a body needs. */
export const HI = { model: "local", max_tokens: 64, messages: [{ role: "user", content: "hi" }] };

export const user = (content: unknown) => ({ role: "user", content });
export const assistant = (content: unknown) => ({ role: "assistant", content });
export const system = (content: unknown) => ({ role: "system", content });
export const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
export const use = (id: string, input: unknown = {}) => ({ type: "tool_use", id, name: "add", input });
export const result = (id: string, content: unknown, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});

export function post(target: HttpTarget, body: unknown, options: PostOptions = {}): Promise<Response> {
  return postChat(target, body, { path: "/v1/messages?beta=true", ...options });
}

export async function message(target: HttpTarget, body: object, options?: PostOptions): Promise<Loose> {
  return await okJson(await post(target, { ...HI, ...body }, options));
}

/** The events' data, in order. */
export async function events(target: HttpTarget, body: object, options?: PostOptions): Promise<Loose[]> {
  return await okEvents(await post(target, { ...HI, ...body, stream: true }, options));
}
