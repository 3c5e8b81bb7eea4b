/**
 * The HTTP application with everything real but the machine: the planner over a chat template, the engine's loop,
 * kept states, the warm pass. The device is the unforgiving fake, and a test writes its replies. So a whole agent
 * session is played in milliseconds, and its `warmturn` figures are true.
 */
import { readFileSync } from "node:fs";
import { chainSeed } from "../../src/plan/KeyChain.ts";
import type { ChunkRules } from "../../src/plan/Plan.ts";
import { Prompter } from "../../src/prompt/Prompter.ts";
import type { EngineEvent } from "../../src/run/EngineEvent.ts";
import type { RunSpec } from "../../src/run/RunSpec.ts";
import type { App } from "../../src/start/createApp.ts";
import { planJob } from "../../src/warm/planJob.ts";
import { WarmClient, type WarmLink } from "../../src/warm/WarmClient.ts";
import type { WarmEvent } from "../../src/warm/WarmJob.ts";
import { WarmQueue } from "../../src/warm/WarmQueue.ts";
import type { HarnessOptions } from "./EngineHarness.ts";
import { fakeServer } from "./FakeServer.ts";
import { FakeVocab } from "./FakeVocab.ts";
import { LoopEngine } from "./LoopEngine.ts";
import { CHUNK_MAX, CHUNK_MIN, TRIP_MIN } from "./makePlan.ts";
import { lastPlace } from "./oracle/expectedResume.ts";

export interface LoopServerOptions
  extends Pick<HarnessOptions, "memory" | "lanes" | "spares" | "stateRamBytes"> {
  /** What the model says to a prompt, as it writes it. */
  readonly reply: (prompt: string) => string;
  readonly template?: LoopTemplate;
  readonly redact?: boolean;
  readonly apiKeys?: readonly string[];
  readonly shareStates?: boolean;
}

export interface LoopTemplate {
  readonly source: string;
  /** The special token that opens a message. */
  readonly opener: string;
}

export interface LoopServer {
  readonly app: App;
  readonly vocab: FakeVocab;
  /** Requests in the order they came. */
  readonly requests: readonly Omit<RunSpec, "id">[];
  /** How requests ended, in that order. */
  readonly ends: readonly EngineEvent[];
  /** The last cut (on a window model, the last trip) of a prompt's first `length` tokens, by the oracle. */
  place(prompt: Int32Array, length: number): number;
  /** Resolves when nothing runs, is planned or is warmed. */
  idle(): Promise<void>;
}

const CHATML: LoopTemplate = {
  source: readFileSync(new URL("tinyModels/templates/qwen3.jinja", import.meta.url), "utf8"),
  opener: "<|im_start|>",
};
const CONTROLS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<start_of_turn>", "<end_of_turn>"];
const CTX_TOKENS = 1 << 16;
const TAGS = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"];

const LOG = { info: () => {}, warn: () => {} };

type TextSide = ReturnType<typeof openText>;

/** By template. What a Prompter remembers changes speed alone: all servers of a process share theirs. */
const shared = new Map<LoopTemplate, TextSide>();

function textSide(template: LoopTemplate): TextSide {
  const opened = shared.get(template) ?? openText(template);
  shared.set(template, opened);
  return opened;
}

function openText({ source }: LoopTemplate) {
  const vocab = new FakeVocab({ control: CONTROLS, userDefined: TAGS, eos: "<|im_end|>" });
  const prompterOf = () => new Prompter({ template: source, vocab, today: () => new Date(0) });
  return { vocab, prompter: prompterOf(), warmPrompter: prompterOf() };
}

export function loopServer(options: LoopServerOptions): LoopServer {
  const template = options.template ?? CHATML;
  const { vocab, prompter, warmPrompter } = textSide(template);
  const { openers, userOpeners, otherOpeners, userPrefaces, tailOpeners } = prompter;
  const tokenRules = {
    chunkTokensMin: CHUNK_MIN,
    chunkTokensMax: CHUNK_MAX,
    tripTokensMin: options.memory === "window" ? TRIP_MIN : 0,
  };
  const rules = { openers, userOpeners, otherOpeners, userPrefaces, tailOpeners, ...tokenRules };
  const script = (prompt: Int32Array) => [...vocab.tokenise(options.reply(vocab.text(prompt)), true)];
  const engine = new LoopEngine({ ...options, ctxTokens: CTX_TOKENS, script, debugHashes: false });
  const warm = warmClient(engine, rules, warmPrompter);
  const turn = {
    engine,
    prompter,
    vocab,
    rules,
    chainSeed: (tenant: string) => chainSeed(engine.ready.setup, tenant),
    warm,
    ...(options.redact === undefined ? {} : { redact: options.redact }),
    ...(options.shareStates === undefined ? {} : { shareStates: options.shareStates }),
  };
  const { app } = fakeServer({
    turn,
    ...(options.apiKeys === undefined ? {} : { apiKeys: options.apiKeys }),
  });
  const { requests, ends } = engine;
  const idle = async (): Promise<void> => {
    while (engine.pending > 0 || !warm.idle) await new Promise(setImmediate);
  };
  const oracle = { openers: [[...vocab.tokenise(template.opener, true)]], ...tokenRules };
  const place = (prompt: Int32Array, length: number): number =>
    lastPlace([...prompt.subarray(0, length)], oracle);
  return { app, vocab, requests, ends, place, idle };
}

/** The real client; its Worker's inside runs in this thread. */
function warmClient(engine: LoopEngine, rules: ChunkRules, prompter: Prompter): WarmClient {
  const openLink = (post: (event: WarmEvent) => void): WarmLink => {
    const queue = new WarmQueue((job) => planJob(job, prompter, rules), post, setImmediate);
    return {
      post: (command) => {
        if (command.type !== "start") queue.handle(structuredClone(command));
      },
      end: () => {},
    };
  };
  const settings = {
    modelPath: "",
    libraryPath: "",
    shimPath: null,
    template: "",
    toolUseTemplate: null,
    rules,
  };
  return new WarmClient({ engine, settings, openLink, log: LOG });
}
