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
import { modelHash } from "./open/modelHash.ts";
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
    void rest(engine.loop);
    return;
  }
  engine.loop.handle(message);
  if (message.type === "close") void close();
  else pump();
  flush();
};

function init({ options, progress, kept }: WorkerInit): void {
  try {
    const opened = openEngine(options, progress);
    const loop = loopOf(opened, options);
    engine = { opened, loop };
    if (loop instanceof EngineLoop) {
      loop.states.takeOver(kept);
      openDisk(loop, options, opened.ready.setup);
    }
    post(opened.ready);
  } catch (error) {
    post({ type: "fatal", message: sentence(error) });
  }
}

/** The buffers go along: this engine's end is next. */
async function rest(loop: EngineLoop | EncoderLoop): Promise<void> {
  flush();
  if (loop instanceof EngineLoop) await loop.states.disk?.settled();
  const states = loop instanceof EngineLoop ? loop.states.handOver() : [];
  self.postMessage({ type: "kept", states } satisfies WorkerMessage, buffersOfAll(states));
}

/** Before the first request where the model's hash is known or soon found; else once it is. */
function openDisk(loop: EngineLoop, { stateDisk, modelPath, home }: EngineOptions, setup: bigint): void {
  if (stateDisk === null) return;
  const open = (hash: string): void => {
    const fingerprint = Bun.hash.xxHash64(`${setup.toString(16)} ${hash}`);
    const warn = (message: string): void => {
      post({ type: "note", message });
      flush();
    };
    loop.states.openDisk({ ...stateDisk, fingerprint, warn });
    waitForQuiet();
  };
  const hash = modelHash(modelPath, home);
  if (typeof hash === "string") open(hash);
  else void hash.then(open, (error) => post({ type: "note", message: sentence(error) }));
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
    rollsBack: opened.rollsBack,
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
    else waitForQuiet();
  } finally {
    flush();
  }
}

/** Kept states go to disk once nobody has asked for anything for so long: a tool's results come sooner. */
const QUIET_MS = 250;
let quiet: Timer | undefined;

function waitForQuiet(): void {
  clearTimeout(quiet);
  if (engine?.loop instanceof EngineLoop && engine.loop.states.disk !== null)
    quiet = setTimeout(saveIdle, QUIET_MS);
}

function saveIdle(): void {
  const loop = engine?.loop;
  if (pumping || !(loop instanceof EngineLoop) || !loop.idle()) return;
  void loop.states.disk?.settled().then(() => setImmediate(saveIdle));
}

async function close(): Promise<void> {
  clearTimeout(quiet);
  const closing = engine;
  engine = undefined;
  if (closing?.loop instanceof EngineLoop) {
    await Promise.race([closing.loop.states.saveAll(), Bun.sleep(SAVE_ALL_MS_MAX)]);
  }
  closing?.opened.embedder?.[Symbol.dispose]();
  closing?.opened.device?.[Symbol.dispose]();
  post({ type: "closed" });
  flush();
}

/** A service manager kills what takes longer; what is on disk by then stays. */
const SAVE_ALL_MS_MAX = 5000;

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
