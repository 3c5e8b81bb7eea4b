/** The facts of a loaded model, and the sentence that tells them. */
import type { Model } from "../../../ffi/Model.ts";
import type { EngineReady } from "../../run/EngineReady.ts";
import type { ModelFacts } from "../../run/ModelFacts.ts";
import { type ModelShape, snapshotBytes } from "./modelShape.ts";
import { inMiB, type MemoryPlan } from "./planMemory.ts";

export function factsOf(
  model: Model,
  shape: ModelShape,
  plan: MemoryPlan,
  devices: readonly string[],
): ModelFacts {
  const [architecture, size, ...quantisation] = model.description.split(" ");
  return {
    // The library has names for the sizes that it knows, and "?B" for all others.
    description: [architecture, size === "?B" ? sizeName(model.parameters) : size, ...quantisation].join(" "),
    architecture: model.architecture,
    // Architecture and size have no blanks in them.
    quantisation: quantisation.join(" "),
    parameters: model.parameters,
    weightBytes: shape.weightBytes,
    devices,
    kvBytes: plan.kvBytes,
    stateRamBytes: plan.stateRamBytes,
    tokenBytes: shape.tokenBytes,
    snapshotBytes: snapshotBytes(shape, shape.window),
  };
}

/** `8.2B`, `2.6M`, `17K`: as the library writes them. */
export function sizeName(parameters: number): string {
  for (const [unit, letter] of [
    [1e9, "B"],
    [1e6, "M"],
  ] as const) {
    const value = parameters / unit;
    if (value >= 0.9995) return `${value.toFixed(value < 9.95 ? 1 : 0)}${letter}`;
  }
  return `${Math.round(parameters / 1e3)}K`;
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
