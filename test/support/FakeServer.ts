/** The HTTP application over a fake engine, with everything a test may want to see or to turn. */

import { LIMITS, type Limits } from "../../src/base/limits.ts";
import type { PromptInput } from "../../src/chat/Message.ts";
import { chainSeed } from "../../src/plan/KeyChain.ts";
import { joined } from "../../src/prompt/joined.ts";
import { USUAL_CAPS } from "../../src/prompt/learn/TemplateCaps.ts";
import type { PromptOptions } from "../../src/prompt/Prompter.ts";
import { promptTooLong } from "../../src/prompt/promptTooLong.ts";
import type { RawPrompt } from "../../src/prompt/RawPrompt.ts";
import { EUCLIDEAN } from "../../src/protocol/embeddings/normalise.ts";
import type { ServerPhase } from "../../src/protocol/health/ServerPhase.ts";
import type { ModelCard } from "../../src/protocol/shared/ModelCard.ts";
import type { EngineReady } from "../../src/run/EngineReady.ts";
import { SAMPLING_DEFAULTS, type SamplingDefaults } from "../../src/run/samplerSettings.ts";
import { Activity } from "../../src/serve/Activity.ts";
import { Conversations } from "../../src/serve/conversations.ts";
import { Metrics } from "../../src/serve/Metrics.ts";
import { RecentTurns } from "../../src/serve/RecentTurns.ts";
import type { TurnDeps } from "../../src/serve/TurnDeps.ts";
import { type App, createApp } from "../../src/start/createApp.ts";
import type { Warm } from "../../src/warm/Warm.ts";
import type { RawWarmJob, WarmJob } from "../../src/warm/WarmJob.ts";
import { FakeClock } from "./FakeClock.ts";
import { byteVocab, FakeEngine } from "./FakeEngine.ts";
import { BYTE_SAMPLING } from "./sampling.ts";

export interface FakeServerOptions {
  /** The template makes an empty prompt of whatever it gets. */
  readonly rendersNothing?: boolean;
  /** Called `name-of-KEY`. */
  readonly apiKeys?: readonly string[];
  readonly corsOrigins?: readonly string[];
  readonly host?: string;
  readonly allowedHosts?: readonly string[];
  readonly strict?: boolean;
  readonly limits?: Partial<Limits>;
  readonly ready?: Partial<EngineReady>;
  readonly opensReasoning?: boolean;
  readonly keepAttribution?: boolean;
  /** What is told of the model, beside `FAKE_CARD`. */
  readonly card?: Partial<ModelCard>;
  readonly embdNormalize?: number;
  readonly endpoints?: { readonly slots: boolean; readonly metrics: boolean };
  readonly sampling?: Partial<SamplingDefaults>;
  /** Real parts in place of fakes. */
  readonly turn?: Partial<TurnDeps>;
}

export interface FakeServer {
  readonly app: App;
  readonly engine: FakeEngine;
  readonly clock: FakeClock;
  /** What was handed to the warm pass, in order. */
  readonly jobs: WarmJob[];
  /** The same of prompts without messages. */
  readonly rawJobs: RawWarmJob[];
  /** Conversations whose warm work was dropped, in order. */
  readonly dropped: string[];
  /** Prompts that were rendered, in order. */
  readonly prompts: PromptInput[];
  /** Unforeseen errors that were logged. */
  readonly errors: object[];
  /** The line of each request. */
  readonly lines: object[];
  /** What was logged beside them. */
  readonly notes: object[];
  phase: "loading" | "ready" | "closing";
  onJob: (job: WarmJob) => void;
  onRawJob: (job: RawWarmJob) => void;
  /** No reply has ended whose job is still to be handed over. */
  readonly isIdle: () => boolean;
}

export const FAKE_MODEL = "fake-model";

/** Can fill in the middle. */
export const FAKE_CARD: ModelCard = {
  path: "/models/fake.gguf",
  bytes: 1000,
  parameters: 500,
  vocabKind: 2,
  vocabSize: 256,
  ctxTrain: 8192,
  embedding: 64,
  template: "{{ messages }}",
  toolUseTemplate: null,
  bos: null,
  eos: null,
  bosText: "",
  eosText: "<eos>",
  fim: { prefix: 1, suffix: 2, middle: 3, repo: 4, separator: 5 },
  rank: { template: null, bos: 1, eos: 2, sep: 3 },
  build: "warmturn test",
};

/** Contexts that a prompt is counted up to, as the real prompter does. */
const FAR_TOO_LONG = 16;

export function fakeServer(options: FakeServerOptions = {}): FakeServer {
  const engine = new FakeEngine(options.ready);
  const clock = new FakeClock();
  const limits = { ...LIMITS, ...options.limits };
  let ids = 0;
  const newId = (): string => String(++ids);
  const prompts: PromptInput[] = [];
  const server: Omit<FakeServer, "app"> = {
    engine,
    clock,
    jobs: [],
    rawJobs: [],
    dropped: [],
    prompts,
    errors: [],
    notes: [],
    lines: [],
    phase: "ready",
    onJob: () => {},
    onRawJob: () => {},
    isIdle: () => ending === 0,
  };
  let ending = 0;
  const warm: Warm = {
    replyEnds: () => {
      ending += 1;
      return () => {
        ending -= 1;
      };
    },
    finished: (job) => {
      if ("grown" in job) {
        server.rawJobs.push(job);
        server.onRawJob(job);
        return;
      }
      server.jobs.push(job);
      server.onJob(job);
    },
    drop: (conversation) => {
      server.dropped.push(conversation);
      return false;
    },
    get idle() {
      return ending === 0;
    },
    close: () => {},
  };
  const metrics = new Metrics();
  const recent = new RecentTurns();
  const chat = {
    turn: {
      engine,
      prompter: {
        tokens: (input: PromptInput, { ctxTokens = Number.POSITIVE_INFINITY }: PromptOptions) => {
          prompts.push(input);
          const text = options.rendersNothing === true ? "" : writtenOut(input);
          const tokens = Int32Array.from(new TextEncoder().encode(text));
          if (tokens.length > ctxTokens * FAR_TOO_LONG) throw promptTooLong(tokens.length, ctxTokens, true);
          return {
            tokens,
            opensReasoning: options.opensReasoning ?? false,
            reasoningTags: { start: [1], end: 2 },
          };
        },
        text: (input: PromptInput) => {
          prompts.push(input);
          return writtenOut(input);
        },
        caps: USUAL_CAPS,
        filledTokens: (form: string, texts: Readonly<Record<string, string>>) =>
          Int32Array.from(
            new TextEncoder().encode(form.replace(/\{(\w+)\}/g, (place, name) => texts[name] ?? place)),
          ),
        rawTokens: ({ parts }: RawPrompt) =>
          joined(
            parts.map((part) =>
              Int32Array.from("text" in part ? new TextEncoder().encode(part.text) : part.tokens),
            ),
          ),
      },
      vocab: byteVocab,
      rules: { openers: [], userOpeners: [], chunkTokensMin: 32, chunkTokensMax: 64, tripTokensMin: 0 },
      chainSeed: (tenant: string) => chainSeed(engine.ready.setup, tenant),
      conversations: new Conversations(),
      activity: new Activity(engine.ready.lanes, [metrics, recent]),
      warm,
      queueMax: limits.queueMax,
      newCallId: () => `call_${newId()}`,
      ...options.turn,
    },
    metrics,
    recent,
    card: { ...FAKE_CARD, ...options.card },
    embdNormalize: options.embdNormalize ?? EUCLIDEAN,
    endpoints: options.endpoints ?? { slots: true, metrics: false },
    models: { name: FAKE_MODEL, strict: options.strict ?? false, createdSeconds: 1_700_000_000 },
    sampling: { ...BYTE_SAMPLING, limits, defaults: { ...SAMPLING_DEFAULTS, ...options.sampling } },
    keepAttribution: options.keepAttribution ?? false,
    limits,
    clock,
    newId,
  };
  const app = createApp({
    state: (): ServerPhase => (server.phase === "ready" ? { phase: "ready", chat } : { phase: server.phase }),
    apiKeys: (options.apiKeys ?? []).map((key) => ({ name: `name-of-${key}`, key })),
    host: options.host ?? "127.0.0.1",
    allowedHosts: options.allowedHosts ?? [],
    corsOrigins: options.corsOrigins ?? [],
    limits,
    newId,
    log: {
      debug: () => {},
      info: (fields, message) => {
        (message === "request" ? server.lines : server.notes).push(fields);
      },
      error: (fields) => server.errors.push(fields),
    },
  });
  return Object.assign(server, { app });
}

function writtenOut({ messages }: PromptInput): string {
  return messages.map((message) => `<${message.role}>${message.content}`).join("");
}
