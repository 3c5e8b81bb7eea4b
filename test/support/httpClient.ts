/** A small HTTP client over one of the targets that the HTTP suites run against. */
import { createParser } from "eventsource-parser";
import type { App } from "../../src/start/createApp.ts";

export interface HttpTarget extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  fetch(request: Request): Promise<Response>;
}

export function inProcess(app: App): HttpTarget {
  return {
    name: "app",
    url: "http://localhost",
    fetch: (request) => app.fetch(request),
    async [Symbol.asyncDispose]() {},
  };
}

/** A listening server on a free port, as `src/main.ts` starts one. */
export function listening(app: App): HttpTarget {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request) => app.fetch(request),
  });
  return {
    name: "server",
    url: `http://127.0.0.1:${server.port}`,
    fetch: (request) => fetch(request),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly path?: string;
}

/** Posts `body`: an object as JSON, a string as it is. */
export function postChat(target: HttpTarget, body: unknown, options: PostOptions = {}): Promise<Response> {
  return target.fetch(
    new Request(`${target.url}${options.path ?? "/v1/chat/completions"}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...options.headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    }),
  );
}

export function get(target: HttpTarget, path: string, init: RequestInit = {}): Promise<Response> {
  return target.fetch(new Request(`${target.url}${path}`, init));
}

export interface SseRead {
  /** `data:` of each event, in order. */
  readonly data: string[];
  readonly comments: string[];
}

export async function readSse(response: Response): Promise<SseRead> {
  const read: SseRead = { data: [], comments: [] };
  const parser = createParser({
    onEvent: (event) => read.data.push(event.data),
    onComment: (comment) => read.comments.push(comment),
  });
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) parser.feed(decoder.decode(part, { stream: true }));
  return read;
}

/** biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests */
export type Loose = any;

export async function json(response: Response): Promise<Loose> {
  return await response.json();
}

/** The body of a 200. */
export async function okJson(response: Response): Promise<Loose> {
  return await json(await ok(response));
}

/** The data of a 200's events, read as JSON. */
export async function okEvents(response: Response): Promise<Loose[]> {
  return (await readSse(await ok(response))).data.map((data) => JSON.parse(data));
}

/** Throws an Error with what the server says for any other status than 200. */
export async function ok(response: Response): Promise<Response> {
  if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`);
  return response;
}

export interface Collected {
  role: string | undefined;
  content: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: string }[];
  finishes: string[];
  usage: Loose;
  warmturn: Loose;
  timings: Loose;
}

/** Puts the chunks of a stream together, as a client does. */
export function collect(chunks: readonly Loose[]): Collected {
  const all: Collected = {
    role: undefined,
    content: "",
    reasoning: "",
    calls: [],
    finishes: [],
    usage: undefined,
    warmturn: undefined,
    timings: undefined,
  };
  for (const chunk of chunks) {
    all.usage ??= chunk.usage;
    all.warmturn ??= chunk.warmturn;
    all.timings ??= chunk.timings;
    const choice = chunk.choices[0];
    if (choice === undefined) continue;
    if (choice.finish_reason !== null) all.finishes.push(choice.finish_reason);
    all.role ??= choice.delta.role;
    all.content += choice.delta.content ?? "";
    all.reasoning += choice.delta.reasoning_content ?? "";
    for (const call of choice.delta.tool_calls ?? []) {
      const known = all.calls[call.index];
      if (known === undefined) {
        all.calls[call.index] = {
          id: call.id,
          name: call.function.name,
          arguments: call.function.arguments,
        };
      } else known.arguments += call.function.arguments;
    }
  }
  return all;
}

/** Posts a streamed chat and gives its chunks; fails unless `[DONE]` is there once, as the last event. */
export async function streamChat(target: HttpTarget, body: object, options?: PostOptions): Promise<Loose[]> {
  const response = await postChat(target, { ...body, stream: true }, options);
  await ok(response);
  const { data } = await readSse(response);
  const done = data.indexOf("[DONE]");
  if (done === -1) throw new Error(`the stream ended with ${data.at(-1)}`);
  if (done !== data.length - 1) throw new Error(`[DONE] is event ${done + 1} of ${data.length}`);
  return data.slice(0, -1).map((text) => JSON.parse(text));
}
