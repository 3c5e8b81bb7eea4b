/** Prompts that no template is put around, from a request's settings to running replies. */
import type { RawPrompt } from "../../prompt/RawPrompt.ts";
import { type RawTurn, rawTokens } from "../../serve/prepareRaw.ts";
import { type Caller, runRaw } from "../../serve/runTurn.ts";
import type { RunningReply } from "../http/replyResponse.ts";
import { servedModel } from "../http/servedModel.ts";
import { type PlacedEvent, severalReplies } from "../http/severalReplies.ts";
import type { CompletionSettings } from "./completionSettings.ts";
import type { SentPrompt } from "./rawPrompts.ts";
import type { ServiceDeps } from "./ServiceDeps.ts";

export interface StartedRaw {
  readonly model: string;
  /** Of each reply, in order: copies of one prompt stand together. */
  readonly prompts: readonly AskedPrompt[];
  readonly running: RunningReply<PlacedEvent>;
}

export interface AskedPrompt {
  readonly prompt: RawPrompt;
  readonly tokens: Int32Array;
}

/** Throws AppError for everything that can be refused before the engine has it. */
export function startRaw(
  sent: readonly SentPrompt[],
  settings: CompletionSettings,
  caller: Caller,
  deps: ServiceDeps,
  signal: AbortSignal,
): StartedRaw {
  const model = servedModel(settings.model, deps.models);
  const turns = sent.map(({ prompt, field }) => {
    const tokens = rawTokens(prompt, field, deps.turn);
    return Array.from({ length: settings.copies }, (_, copy) => rawTurn(prompt, tokens, settings, copy));
  });
  const session = caller.session || settings.session;
  const runs = runRaw(turns, { ...caller, session, scope: settings.scope }, deps.turn, signal);
  return { model, prompts: turns.flat(), running: severalReplies(runs) };
}

function rawTurn(
  prompt: RawPrompt,
  tokens: Int32Array,
  { sampling, textSchema, maxTokens, stop, wishes }: CompletionSettings,
  copy: number,
): RawTurn {
  // Each copy draws its own, and the first what it would draw alone.
  const seed = (sampling.seed + copy) >>> 0;
  return {
    prompt,
    tokens,
    sampling: { ...sampling, seed },
    maxTokens,
    stop,
    wishes: wishes.run,
    ...(textSchema === undefined ? {} : { textSchema }),
  };
}
