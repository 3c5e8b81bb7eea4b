/** What every protocol's service is given: the turn, the model's names and card, settings and limits. */
import type { Limits } from "../../base/limits.ts";
import type { Clock } from "../../serve/Clock.ts";
import type { Metrics } from "../../serve/Metrics.ts";
import type { RecentTurns } from "../../serve/RecentTurns.ts";
import type { TurnDeps } from "../../serve/TurnDeps.ts";
import type { ModelNames } from "../http/servedModel.ts";
import type { ModelCard } from "./ModelCard.ts";
import type { SamplingRules } from "./sampling.ts";

export interface ServiceDeps {
  readonly turn: TurnDeps;
  readonly metrics: Metrics;
  /** For the page. */
  readonly recent: RecentTurns;
  readonly models: ModelNames;
  readonly sampling: SamplingRules;
  readonly card: ModelCard;
  /** How vectors are normalised where a request says nothing: llama.cpp's number. */
  readonly embdNormalize: number;
  /** Which of the endpoints that tell of the server are on. */
  readonly endpoints: { readonly slots: boolean; readonly metrics: boolean };
  /** Whether Claude Code's billing line stays in its system prompt. */
  readonly keepAttribution: boolean;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** What all chunks of one reply say. */
export interface Heading {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint: string;
}

export function headingOf(kind: "chatcmpl" | "cmpl", model: string, deps: ServiceDeps): Heading {
  const setup = BigInt.asUintN(64, deps.turn.engine.ready.setup).toString(16).padStart(16, "0");
  return {
    id: `${kind}-${deps.newId()}`,
    created: deps.clock.nowSeconds(),
    model,
    system_fingerprint: `wt-${setup}`,
  };
}
