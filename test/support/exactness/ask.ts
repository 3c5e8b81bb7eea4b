/** One request to a server, streamed or whole: the reply as a client has it, and what the server says of it. */
import type { Answer, Protocol, Sent } from "../clients/Protocol.ts";
import type { WireReply } from "../clients/wire.ts";
import { readSse } from "../httpClient.ts";

export type Delivery = "streamed" | "whole";

export interface Asked {
  readonly reply: WireReply;
  readonly finish: string;
  readonly promptTokens: number;
  readonly resumed: number;
  readonly warmed: number;
  readonly prefilled: number;
  readonly source: string;
  readonly miss: string;
  readonly tokensHash: string;
  readonly logitsHash: string;
}

/** A server process, or an application in this one. */
export interface Askable {
  readonly url: string;
  readonly fetch?: (request: Request) => Promise<Response>;
}

export interface Asking {
  /** The API key. */
  readonly key: string;
  readonly protocol: Protocol;
  readonly delivery: Delivery;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function ask(server: Askable, asking: Asking, sent: Sent): Promise<Asked> {
  const { key, protocol, delivery, headers = {} } = asking;
  const isStreamed = delivery === "streamed";
  const wishes = { ...(isStreamed ? { stream: true } : {}), ...protocol.wishes?.[delivery] };
  const request = new Request(`${server.url}${protocol.path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({ ...protocol.body(sent), ...wishes }),
  });
  const response = await (server.fetch ?? fetch)(request);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  if (!isStreamed) return asked(protocol.whole(await response.json()));
  return asked(protocol.streamed((await readSse(response)).data));
}

function asked({ reply, finish, promptTokens, warmturn }: Answer): Asked {
  const number = (name: string): number => {
    const value: unknown = warmturn?.[name];
    if (typeof value !== "number") throw new Error(`no ${name} in ${JSON.stringify(warmturn)}`);
    return value;
  };
  return {
    reply,
    finish,
    promptTokens,
    resumed: number("resumed"),
    warmed: number("warmed"),
    prefilled: number("prefilled"),
    source: String(warmturn.source),
    miss: String(warmturn.miss),
    tokensHash: String(warmturn.tokens_hash),
    logitsHash: String(warmturn.logits_hash),
  };
}
