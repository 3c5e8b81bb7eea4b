/**
 * Plays the served half of the exactness matrix on one model: every talk in each protocol against a server that
 * warms, one that does not, and, for its second turn alone, a new process that has seen nothing.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerProcess } from "../../../bench/ServerProcess.ts";
import type { Protocol } from "../clients/Protocol.ts";
import { openProtocol, type ProtocolName } from "../clients/protocols.ts";
import type { WireRequest } from "../clients/wire.ts";
import { type Expected, expectedResume, type OracleSettings } from "../oracle/expectedResume.ts";
import { type Asked, ask, type Delivery } from "./ask.ts";
import { firstRequest, secondRequest, sentOf, type Talk } from "./talk.ts";

export interface Case {
  readonly talk: Talk;
  readonly protocol: ProtocolName;
  readonly delivery: Delivery;
}

/** A talk's two turns on one server, in one case's words. */
export interface Turns {
  readonly first: Asked;
  readonly request: WireRequest;
  readonly second: Asked;
}

export interface Played {
  readonly on: Turns;
  readonly off: Turns;
  readonly cold: Asked;
  /** Where the oracle says that the second turn, warm on, has to resume. */
  readonly expected: Expected;
}

export interface MatrixOptions {
  readonly modelPath: string;
  readonly cases: readonly Case[];
  /**
   * The cases that are played without warming, too, and in a new process: all, or one of each talk, which then
   * stands for the talk's others. They are the same tokens.
   */
  readonly compared: readonly Case[];
  readonly oracle: OracleSettings;
  /** Server flags beside model, keys, hashes and warm. */
  readonly flags: readonly string[];
  /** 1 where each takes all cores: llama.cpp's threads spin, and two such servers slow each other tenfold. */
  readonly serversAtOnce: 1 | 2;
}

export async function playMatrix(options: MatrixOptions): Promise<ReadonlyMap<Case, Played>> {
  const home = await mkdtemp(join(tmpdir(), "warmturn-exactness-"));
  try {
    const { cases, compared, serversAtOnce } = options;
    const servers = await inPool(["on", "off"] as const, serversAtOnce, (warm) =>
      playServer(options, home, warm, warm === "on" ? cases : compared),
    );
    const on = servers.get("on") ?? new Map();
    const off = servers.get("off") ?? new Map();
    const cold = await inPool(compared, serversAtOnce, (one) => playCold(options, home, one, on));
    return new Map(cases.map((one) => [one, joined(options, one, on, off, cold)]));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function joined(
  options: MatrixOptions,
  one: Case,
  on: ReadonlyMap<Case, Turns>,
  off: ReadonlyMap<Case, Turns>,
  cold: ReadonlyMap<Case, Asked>,
): Played {
  const turns = found(on, one);
  const expected = expectedResume(options.oracle, firstRequest(one.talk), turns.first.reply, turns.request);
  const like =
    options.compared.find((other) => other === one) ??
    options.compared.find(({ talk }) => talk === one.talk) ??
    one;
  return { on: turns, off: found(off, like), cold: found(cold, like), expected };
}

function found<T>(of: ReadonlyMap<Case, T>, one: Case): T {
  const value = of.get(one);
  if (value === undefined) throw new Error(`${nameOf(one)} was not played`);
  return value;
}

/**
 * An API key is a tenant of its own: talks under one key share the head of their prompts, and what the server
 * learnt of its client; talks under two share nothing, so that both may say the same.
 */
function keyOf({ talk, protocol, delivery }: Case): string {
  return `key-${talk.reasoning}-${protocol.replaceAll(" ", "-")}-${delivery}`;
}

async function playServer(
  options: MatrixOptions,
  home: string,
  warm: "on" | "off",
  cases: readonly Case[],
): Promise<ReadonlyMap<Case, Turns>> {
  const played = new Map<Case, Turns>();
  await using server = await startServer(options, home, warm);
  for (const one of cases) {
    const { talk } = one;
    const asking = askingOf(one, openProtocol(one.protocol));
    const first = await ask(server, asking, sentOf(talk, firstRequest(talk), 1));
    await server.warmIdle();
    const request = secondRequest(talk, first.reply);
    const second = await ask(server, asking, sentOf(talk, request, 2));
    await server.warmIdle();
    played.set(one, { first, request, second });
  }
  return played;
}

/** A client that was started anew, too: it has no id of a response. */
async function playCold(
  options: MatrixOptions,
  home: string,
  one: Case,
  on: ReadonlyMap<Case, Turns>,
): Promise<Asked> {
  await using server = await startServer(options, home, "on");
  const { request } = found(on, one);
  return await ask(server, askingOf(one, openProtocol(one.protocol)), sentOf(one.talk, request, 2));
}

function askingOf(one: Case, protocol: Protocol) {
  return { key: keyOf(one), protocol, delivery: one.delivery };
}

function startServer({ modelPath, cases, flags }: MatrixOptions, home: string, warm: "on" | "off") {
  const keys = [...new Set(cases.map(keyOf))].join(",");
  return ServerProcess.start({
    flags: ["-m", modelPath, "--warm", warm, "--debug-hashes", "--api-key", keys, ...flags],
    env: { WARMTURN_HOME: home },
  });
}

/** At most `size` at once. */
async function inPool<T, R>(
  items: readonly T[],
  size: number,
  run: (item: T) => Promise<R>,
): Promise<Map<T, R>> {
  const results = new Map<T, R>();
  const waiting = [...items];
  const work = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift())
      results.set(item, await run(item));
  };
  await Promise.all(Array.from({ length: size }, work));
  return results;
}

export function nameOf({ talk, protocol, delivery }: Case): string {
  const sampling = talk.sampled.temperature > 0 ? `, temperature ${talk.sampled.temperature}` : "";
  return `${protocol}: ${talk.next} next, reasoning ${talk.reasoning}, ${delivery}${sampling}`;
}
