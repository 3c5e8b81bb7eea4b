/** Refuses what an encoder cannot do: it writes no text. */

import { AppError } from "../../base/AppError.ts";
import type { Engine } from "../../run/Engine.ts";

interface Service {
  readonly turn: { readonly engine: Pick<Engine, "ready"> };
}

/** Throws AppError("not-supported") where the model writes no text. */
export function needsText({ turn }: Service): void {
  const { lanes, facts, ranking } = turn.engine.ready;
  if (lanes > 0) return;
  const does = ranking === null ? "embeds: ask /v1/embeddings" : "ranks: ask /v1/rerank";
  throw new AppError(
    "not-supported",
    `This server's model is an encoder (${facts.architecture}), which writes no text. It ${does}.`,
  );
}
