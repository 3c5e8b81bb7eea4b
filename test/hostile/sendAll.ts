/** Sends many requests, a few at a time, and judges each answer. */
import type { HttpTarget } from "../support/httpClient.ts";
import { type HostileAnswer, problemOf } from "./judge.ts";
import type { HostileRequest, RequestMaker } from "./requests.ts";

/** An answer that takes longer is none. */
const ANSWER_MS_MAX = 60_000;

export interface SentAll {
  /** How often each status came. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly problems: readonly Problem[];
}

export interface Problem {
  readonly says: string;
  readonly request: HostileRequest;
}

export interface SendOptions {
  readonly count: number;
  readonly atOnce: number;
  /** The requests that are on their way, whenever that changes. */
  readonly onSent?: (sent: number) => void;
  readonly inFlight?: Set<HostileRequest>;
}

export async function sendAll(
  target: HttpTarget,
  maker: RequestMaker,
  options: SendOptions,
): Promise<SentAll> {
  const statuses = new Map<number, number>();
  const problems: Problem[] = [];
  let sent = 0;
  const one = async (request: HostileRequest): Promise<void> => {
    options.inFlight?.add(request);
    const answer = await ask(target, request);
    options.inFlight?.delete(request);
    if (typeof answer === "string") {
      problems.push({ says: answer, request });
      return;
    }
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const says = problemOf(request, answer);
    if (says !== null) problems.push({ says, request });
  };
  const worker = async (): Promise<void> => {
    while (sent < options.count) {
      sent += 1;
      options.onSent?.(sent);
      await one(maker.next());
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, worker));
  return { statuses, problems };
}

/** The answer, or why there is none. */
async function ask(target: HttpTarget, request: HostileRequest): Promise<HostileAnswer | string> {
  let made: Request;
  try {
    made = requestOf(target.url, request);
  } catch {
    // What this client cannot even say is sent by `broken connections`.
    return { status: 0, headers: new Headers({ "x-request-id": "" }), text: "" };
  }
  try {
    const response = await target.fetch(made);
    const { status, headers } = response;
    return { status, headers, text: await response.text() };
  } catch (error) {
    return `no answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function requestOf(url: string, { method, path, headers, body }: HostileRequest): Request {
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  const init = method === "GET" || method === "HEAD" || body === null ? {} : { body };
  return new Request(url + path, { method, headers, redirect: "manual", signal, ...init });
}
