/** The facts of a loaded model, and the sentence that tells them. */
import type { Model } from "../../ffi/Model.ts";
import type { ModelFacts } from "./ModelFacts.ts";
import { inMiB, type MemoryPlan } from "./memory.ts";
import { type ModelShape, snapshotBytes } from "./modelShape.ts";
import type { EngineReady } from "./protocol.ts";

export function factsOf(
  model: Model,
  shape: ModelShape,
  plan: MemoryPlan,
  devices: readonly string[],
): ModelFacts {
  const { description } = model;
  return {
    description,
    architecture: model.architecture,
    // Architecture and size have no blanks in them.
    quantisation: description.split(" ").slice(2).join(" "),
    parameters: model.parameters,
    weightBytes: shape.weightBytes,
    devices,
    kvBytes: plan.kvBytes,
    stateRamBytes: plan.stateRamBytes,
    tokenBytes: shape.tokenBytes,
    snapshotBytes: snapshotBytes(shape, shape.window),
  };
}

/** The same in one sentence for the log. */
export function factsSentence({ facts, memory, lanes, spares, ctxTokens, ranking }: EngineReady): string {
  if (lanes === 0) {
    const does = ranking === null ? "embeds" : "ranks";
    return `${facts.description}, an encoder that ${does} inputs of up to ${ctxTokens} tokens, on ${facts.devices.join(", ")}.`;
  }
  return (
    `${facts.description}, ${memory} memory, on ${facts.devices.join(", ")}: ${lanes} lanes and ` +
    `${spares} spare sequences of ${ctxTokens} tokens, KV ${inMiB(facts.kvBytes)}, ` +
    `kept states up to ${inMiB(facts.stateRamBytes)}.`
  );
}
