/**
 * The server as it is served (readers, planner, kept states, warm Worker), with a scripted model for an engine, on
 * a loopback port; every request that a client makes is kept beside what the engine was made to do for it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { createLog } from "../../src/base/log.ts";
import { readConfig } from "../../src/config/Config.ts";
import { LoadProgress } from "../../src/engine/LoadProgress.ts";
import type { ServiceDeps } from "../../src/protocol/shared/ServiceDeps.ts";
import type { Engine, EngineRun } from "../../src/run/Engine.ts";
import type { EngineReady, MemoryKind } from "../../src/run/EngineReady.ts";
import { Conversations } from "../../src/serve/conversations.ts";
import { type App, createApp } from "../../src/start/createApp.ts";
import { loadModel } from "../../src/start/loadModel.ts";
import { warmOff } from "../../src/warm/Warm.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";
import { Body } from "./body.ts";
import type { Messages } from "./judge.ts";
import { ScriptedEngine, type ScriptedRun } from "./ScriptedEngine.ts";
import { scriptedReply } from "./script.ts";

/** Enough for a role and the mark of a result. */
const ROLE_TOKENS_MAX = 32;
/** Ends a run that loops: no client needs more for its steps. */
const EXCHANGES_MAX = 200;

export interface Exchange {
  readonly path: string;
  readonly userAgent: string;
  /** Undefined where the request is none for a reply. */
  readonly body: Body | undefined;
  status: number;
  run: ScriptedRun | null;
  /** Its place in the order in which requests came to their engine; -1 where they did not. */
  order: number;
  /** Ids given for it. */
  ids: number;
}

export interface RecordedServer extends AsyncDisposable {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  readonly messages: Messages;
  readonly ready: EngineReady;
  readonly warmPrefilled: number;
  /** The prompt that the server makes of a body when it remembers nothing; undefined where it refuses it. */
  promptOf(path: string, body: Body): Promise<Int32Array | undefined>;
  warmIdle(): Promise<void>;
  /** Sends what another server was sent, in the order in which its engine had it, each when nothing is being warmed. */
  replay(exchanges: readonly Exchange[]): Promise<void>;
}

export async function startRecordedServer(
  memory: MemoryKind,
  warm: "on" | "off" = "on",
): Promise<RecordedServer> {
  const model = await tinyModel("qwen35");
  const { messages, end, tokenise, close } = openVocab(model.path);
  const context = new AsyncLocalStorage<Exchange>();
  const exchanges: Exchange[] = [];
  let order = 0;
  const engine = new ScriptedEngine({
    memory,
    endToken: end,
    nextReply: () => {
      const body = context.getStore()?.body;
      return body === undefined ? [] : tokenise(scriptedReply(body));
    },
    onRequest: (run) => {
      const exchange = context.getStore();
      if (exchange === undefined) throw new Error("a run was handed over outside any request");
      exchange.run = run;
      exchange.order = order++;
    },
  });
  const config = readConfig(
    ["-m", model.path, "--alias", "local", "--warm", warm, "--log-level", "warn"],
    {},
  );
  const log = createLog({
    level: "warn",
    format: "json",
    look: { colour: false, isTerminal: false },
    write: (text) => process.stderr.write(text),
  });
  const loaded = await loadModel(config, {
    log,
    onCrash: fail,
    progress: new LoadProgress(model.path),
    startEngine: async () => engine,
  });
  // By the request, so that they are the same where the requests are played again.
  const newId = (): string => {
    const exchange = context.getStore();
    if (exchange === undefined) return "none";
    return `${exchange.order}n${exchange.ids++}`.padStart(24, "0");
  };
  const chat = { ...loaded, newId, turn: { ...loaded.turn, newCallId: () => `call_${newId()}` } };
  const app = appOver(chat);
  const shadow = new ShadowApp(chat);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => answer(request, app, context, exchanges),
  });
  const url = `http://127.0.0.1:${server.port}`;
  const warmIdle = async (): Promise<void> => {
    while (!chat.turn.warm.idle || engine.warm === "working" || engine.pending > 0) await Bun.sleep(5);
  };
  return {
    url,
    exchanges,
    messages,
    ready: engine.ready,
    get warmPrefilled() {
      return engine.warmPrefilled;
    },
    promptOf: (path, body) => shadow.promptOf(path, body),
    warmIdle,
    replay: async (others) => {
      const sent = others.filter((one) => one.order >= 0).sort((a, b) => a.order - b.order);
      for (const { path, body, userAgent } of sent) {
        const headers = { "content-type": "application/json", "user-agent": userAgent };
        const response = await fetch(url + path, {
          method: "POST",
          headers,
          body: JSON.stringify(body?.json),
        });
        await response.text();
        await warmIdle();
      }
    },
    async [Symbol.asyncDispose]() {
      chat.turn.warm.close();
      await server.stop(true);
      close();
    },
  };
}

async function answer(
  request: Request,
  app: App,
  context: AsyncLocalStorage<Exchange>,
  exchanges: Exchange[],
): Promise<Response> {
  if (new URL(request.url).pathname.endsWith("/health")) return await app.fetch(request);
  if (exchanges.length >= EXCHANGES_MAX)
    return new Response("too many requests of a scripted client", { status: 403 });
  const { pathname: path } = new URL(request.url);
  const text = await request.text();
  const exchange: Exchange = {
    path,
    userAgent: request.headers.get("user-agent") ?? "",
    body: text === "" ? undefined : Body.parse(path, text),
    status: 0,
    run: null,
    order: -1,
    ids: 0,
  };
  exchanges.push(exchange);
  const { method, headers, signal } = request;
  const again = new Request(request.url, { method, headers, signal, ...(text === "" ? {} : { body: text }) });
  const response = await context.run(exchange, () => app.fetch(again));
  exchange.status = response.status;
  return response;
}

function appOver(chat: ServiceDeps): App {
  let ids = 0;
  return createApp({
    state: () => ({ phase: "ready", chat }),
    apiKeys: [],
    host: "127.0.0.1",
    allowedHosts: [],
    corsOrigins: [],
    limits: chat.limits,
    newId: () => `id-${++ids}`,
    log: { debug: () => {}, info: () => {}, error: (fields, message) => console.error(message, fields) },
  });
}

/** A server that remembers nothing, and whose engine only notes the prompt that it is given. */
class ShadowApp {
  readonly #app: App;
  #tokens: Int32Array | undefined;

  constructor(chat: ServiceDeps) {
    const engine: Engine = {
      ready: chat.turn.engine.ready,
      warm: "idle",
      pending: 0,
      run: (spec, onEvent): EngineRun => {
        this.#tokens = spec.plan.tokens;
        queueMicrotask(() => onEvent({ type: "refused", id: 0, code: "closing", message: "noted" }));
        return { id: 0, cancel: () => {} };
      },
      embed: async () => [],
      drop: () => {},
      close: async () => {},
    };
    const turn = { ...chat.turn, engine, warm: warmOff, conversations: new Conversations() };
    this.#app = appOver({ ...chat, turn });
  }

  async promptOf(path: string, body: Body): Promise<Int32Array | undefined> {
    this.#tokens = undefined;
    const headers = { "content-type": "application/json" };
    const request = new Request(`http://localhost${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body.json),
    });
    await (await this.#app.fetch(request)).text();
    return this.#tokens;
  }
}

function openVocab(path: string) {
  const backend = Backend.open();
  const model = Model.load(backend, { path, vocabOnly: true });
  const { vocab } = model;
  const special = (text: string): number => {
    const found = vocab.specials.find((one) => one.text === text);
    if (found === undefined) throw new Error(`the model has no token ${text}`);
    return found.id;
  };
  const opener = special("<|im_start|>");
  const textAt = (prompt: Int32Array, from: number, to: number): string =>
    Buffer.concat([...prompt.subarray(from, to)].map((token) => vocab.piece(token))).toString();
  return {
    messages: {
      opener,
      // The template puts results into messages of the user's.
      isUser: (prompt: Int32Array, at: number): boolean =>
        /^user\n(?!<tool_response>)/.test(textAt(prompt, at + 1, at + ROLE_TOKENS_MAX)),
    },
    end: special("<|im_end|>"),
    tokenise: (text: string): Int32Array => vocab.tokenise(text, true),
    close: () => {
      model.close();
      backend.close();
    },
  };
}

function fail(message: string): never {
  throw new Error(message);
}
