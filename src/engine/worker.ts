/**
 * The engine Worker: owns the model, the one context and all kept states. It takes commands between two steps
 * of the loop, and says `ready` or `fatal` once, then events.
 */

import type { EngineCommand } from "../run/EngineEvent.ts";
import { buffersOfAll } from "../state/handOver.ts";
import { type Embedder, EmbedQueue } from "./EmbedQueue.ts";
import { EncoderLoop } from "./EncoderLoop.ts";
import type { SingleMessage, WorkerInit, WorkerMessage, WorkerRest } from "./EngineClient.ts";
import { EngineLoop } from "./EngineLoop.ts";
import type { EngineOptions } from "./open/EngineOptions.ts";
import { type OpenedEngine, openEngine } from "./open/openEngine.ts";

declare const self: Worker;

let engine: { readonly opened: OpenedEngine; readonly loop: EngineLoop | EncoderLoop } | undefined;
let pumping = false;

self.onmessage = (event: MessageEvent<WorkerInit | WorkerRest | EngineCommand>) => {
  const message = event.data;
  if (message.type === "init") {
    init(message);
    flush();
    return;
  }
  if (engine === undefined) return;
  if (message.type === "rest") {
    rest(engine.loop);
    return;
  }
  engine.loop.handle(message);
  if (message.type === "close") close();
  else pump();
  flush();
};

function init({ options, progress, kept }: WorkerInit): void {
  try {
    const opened = openEngine(options, progress);
    const loop = loopOf(opened, options);
    if (loop instanceof EngineLoop) loop.states.takeOver(kept);
    engine = { opened, loop };
    post(opened.ready);
  } catch (error) {
    post({ type: "fatal", message: sentence(error) });
  }
}

/** The buffers go along: this engine's end is next. */
function rest(loop: EngineLoop | EncoderLoop): void {
  flush();
  const states = loop instanceof EngineLoop ? loop.states.handOver() : [];
  self.postMessage({ type: "kept", states } satisfies WorkerMessage, buffersOfAll(states));
}

function loopOf(opened: OpenedEngine, options: EngineOptions): EngineLoop | EncoderLoop {
  const { queueMax } = options;
  const queueOf = (embedder: Embedder): EmbedQueue => new EmbedQueue({ embedder, queueMax, emit: post });
  if (opened.device === null) return new EncoderLoop({ embeds: queueOf(opened.embedder), emit: post });
  return new EngineLoop({
    ...(opened.embedder === null ? {} : { embeds: queueOf(opened.embedder) }),
    device: opened.device,
    chunkTokensMax: opened.ready.chunkTokensMax,
    padding: opened.padding,
    stateRamBytes: opened.stateRamBytes,
    queueMax,
    exactDecode: options.exactDecode || !opened.decodesTogether,
    debugHashes: options.debugHashes,
    debugIntegrity: options.debugIntegrity,
    resumeAllowed: opened.ready.resume.allowed,
    clock: performance,
    emit: post,
  });
}

/** An immediate lets the messages that have arrived meanwhile be handled before the next step. */
function pump(): void {
  if (pumping) return;
  pumping = true;
  setImmediate(tick);
}

function tick(): void {
  pumping = false;
  try {
    if (engine?.loop.step() === true) pump();
  } finally {
    flush();
  }
}

function close(): void {
  engine?.opened.embedder?.[Symbol.dispose]();
  engine?.opened.device?.[Symbol.dispose]();
  engine = undefined;
  post({ type: "closed" });
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What one step has to say goes out as one message: eight streams would wake the HTTP thread eight times a step. */
let outbox: SingleMessage[] = [];

function post(message: SingleMessage): void {
  outbox.push(message);
}

function flush(): void {
  if (outbox.length === 0) return;
  const messages = outbox;
  outbox = [];
  const [only] = messages;
  const whole: WorkerMessage =
    messages.length === 1 && only !== undefined ? only : { type: "several", messages };
  self.postMessage(whole);
}
