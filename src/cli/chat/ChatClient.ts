/** A chat over HTTP, against this server or any other that speaks OpenAI's chat completions. */
import { createParser } from "eventsource-parser";
import { CommandError } from "../CommandError.ts";
import { ReplyCollector } from "./ReplyCollector.ts";
import { at, parsed, textOf } from "./wire.ts";
import type { Delta, Message, Reply, ToolSpec } from "./wireMessages.ts";

export interface ChatServer {
  /** Without a path, e.g. `http://127.0.0.1:8080`. */
  readonly base: string;
  readonly apiKey: string | null;
}

export interface ChatOptions {
  /** As requests name it. */
  readonly model: string;
  /** Tokens of a reply at most; null leaves it to the server. */
  readonly maxTokens: number | null;
}

export interface ReplyWish {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Ends the reply; what came until then is kept. */
  readonly signal: AbortSignal;
  readonly onDelta: (delta: Delta) => void;
}

/** While the server loads its model: how often to ask again. */
const LOADING_POLL_MS = 500;

export class ChatClient {
  readonly options: ChatOptions;
  readonly #server: ChatServer;
  readonly #now: () => number;

  /** `now`: milliseconds. */
  constructor(server: ChatServer, options: ChatOptions, now: () => number = () => performance.now()) {
    this.#server = server;
    this.options = options;
    this.#now = now;
  }

  /**
   * The name of the server's model. Waits while it is loaded.
   * Throws CommandError where nothing answers, or something else does.
   */
  static async modelOf(server: ChatServer, onWait: () => void): Promise<string> {
    const url = `${server.base}/v1/models`;
    for (;;) {
      const response = await ask(url, { headers: headersOf(server) });
      const body = parsed(await response.text());
      if (response.status === 503) {
        onWait();
        await Bun.sleep(LOADING_POLL_MS);
        continue;
      }
      if (response.status === 404) {
        throw new CommandError(`There is no ${url}; --url is the address in front of /v1 of a server.`);
      }
      if (!response.ok) throw new CommandError(refusal(response.status, body, server));
      const name = textOf(at(body, "data", 0, "id"));
      if (name === null)
        throw new CommandError(`${url} lists no model; is this an OpenAI-compatible server?`);
      return name;
    }
  }

  /** Never rejects: what goes wrong is a reply that failed. */
  async reply({ messages, tools, signal, onDelta }: ReplyWish): Promise<Reply> {
    const collector = new ReplyCollector(onDelta, this.#now);
    try {
      const response = await fetch(`${this.#server.base}/v1/chat/completions`, {
        method: "POST",
        headers: { ...headersOf(this.#server), "content-type": "application/json" },
        body: JSON.stringify({
          model: this.options.model,
          messages,
          ...(tools.length === 0 ? {} : { tools }),
          ...(this.options.maxTokens === null ? {} : { max_tokens: this.options.maxTokens }),
          stream: true,
          stream_options: { include_usage: true },
        }),
        signal,
      });
      if (!response.ok) {
        const body = parsed(await response.text());
        return collector.reply(false, refusal(response.status, body, this.#server));
      }
      const broken = await readStream(response, collector);
      return collector.reply(broken === null, broken);
    } catch (error) {
      return collector.reply(false, signal.aborted ? null : broke(error));
    }
  }
}

/** Null where the stream came to its end, else a sentence. */
async function readStream(response: Response, collector: ReplyCollector): Promise<string | null> {
  let ended = false;
  let error: string | null = null;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === "[DONE]") ended = true;
      else {
        const chunk = parsed(data);
        error ??= textOf(at(chunk, "error", "message"));
        collector.add(chunk);
      }
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) parser.feed(decoder.decode(bytes, { stream: true }));
  return error ?? (ended ? null : broke("before the reply's end"));
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw new CommandError(`Nothing answers at ${url} (${wordsOf(error)}); is the server started?`);
  }
}

function headersOf({ apiKey }: ChatServer): Record<string, string> {
  return apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
}

function refusal(status: number, body: unknown, { base, apiKey }: ChatServer): string {
  if (status === 401) {
    return `${base} ${apiKey === null ? "wants an API key: --api-key KEY" : "does not take this API key"}.`;
  }
  const said = textOf(at(body, "error", "message"));
  return said ?? `${base} answered with status ${status}; is this an OpenAI-compatible server?`;
}

function broke(why: unknown): string {
  return `The connection broke (${wordsOf(why)}); /retry says the turn again.`;
}

/** The error's code where it has one: Bun's sentences are written for programmers. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
