/** Flags win over the model's recommendations, those over llama-server's defaults. */
import { expect, test } from "bun:test";
import { parseFlags } from "../../../src/config/parseFlags.ts";
import { samplingDefaults } from "../../../src/config/samplingDefaults.ts";
import { SAMPLING_DEFAULTS } from "../../../src/run/samplerSettings.ts";

function started(argv: string, meta: Readonly<Record<string, string>> = {}, env = {}) {
  const flags = parseFlags(argv.split(" ").filter(Boolean), env);
  return samplingDefaults(flags, (key) => meta[key.replace("general.sampling.", "")] ?? null);
}

test("without flags and recommendations they are llama-server's", () => {
  expect(started("")).toEqual({ defaults: SAMPLING_DEFAULTS, notes: [] });
});

test("every flag of llama-server", () => {
  const { defaults } = started(
    "--temp 0.5 --top-k 20 --top-p 0.8 --min-p 0.1 --typical 0.9 --top-nsigma 1 --xtc-probability 0.2 " +
      "--xtc-threshold 0.3 --dry-multiplier 0.8 --dry-base 2 --dry-allowed-length 3 --dry-penalty-last-n -1 " +
      "--dry-sequence-breaker \\n --dry-sequence-breaker # --mirostat 2 --mirostat-lr 0.2 --mirostat-ent 4 " +
      "--repeat-penalty 1.1 --presence-penalty 0.1 --frequency-penalty 0.2 --repeat-last-n 128 --seed 7 " +
      "--dynatemp-range 0.4 --dynatemp-exp 2 --adaptive-target 0.5 --adaptive-decay 0.8 --min-keep 2 " +
      "--samplers top_k;temperature --ignore-eos",
  );
  expect(defaults).toEqual({
    temperature: 0.5,
    topK: 20,
    topP: 0.8,
    minP: 0.1,
    typicalP: 0.9,
    topNSigma: 1,
    xtcProbability: 0.2,
    xtcThreshold: 0.3,
    dryMultiplier: 0.8,
    dryBase: 2,
    dryAllowedLength: 3,
    dryPenaltyLastN: -1,
    drySequenceBreakers: ["\n", "#"],
    mirostat: 2,
    mirostatEta: 0.2,
    mirostatTau: 4,
    repeatPenalty: 1.1,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    repeatLastN: 128,
    dynatempRange: 0.4,
    dynatempExponent: 2,
    adaptiveTarget: 0.5,
    adaptiveDecay: 0.8,
    minKeep: 2,
    samplers: ["top_k", "temperature"],
    seed: 7,
    ignoreEos: true,
  });
});

test("letters, no breakers, and the environment", () => {
  const { defaults } = started("--sampler-seq kt --dry-sequence-breaker none", {}, { LLAMA_ARG_TOP_K: "5" });
  expect(defaults).toMatchObject({ samplers: ["top_k", "temperature"], drySequenceBreakers: [], topK: 5 });
});

test("what cannot be read is said", () => {
  for (const argv of [
    "--temp hot",
    "--top-p 2",
    "--samplers best",
    "--sampler-seq kz",
    "--seed 0.5",
    "--mirostat 3",
  ]) {
    expect(() => started(argv)).toThrow("allowed is");
  }
});

test("the model's recommendations stand where no flag does", () => {
  const meta = {
    temp: "0.600000",
    top_k: "20",
    top_p: "0.950000",
    sequence: "top_k;temp",
    penalty_last_n: "32",
  };
  const { defaults, notes } = started("--top-k 7", meta);
  expect(defaults).toMatchObject({
    temperature: 0.6,
    topK: 7,
    topP: 0.95,
    repeatLastN: 32,
    samplers: ["top_k", "temperature"],
  });
  expect(notes).toEqual([
    "Sampling as the model recommends: temp 0.600000, top_p 0.950000, penalty_last_n 32, sequence top_k;temp.",
  ]);
});

test("infill stands behind a top_k, by flags and by what the model recommends", () => {
  expect(started("--samplers top_k;infill --top-k 40").defaults.samplers).toEqual(["top_k", "infill"]);
  expect(started("--sampler-seq kit").defaults.samplers).toEqual(["top_k", "infill", "temperature"]);
  expect(() => started("--samplers infill;top_k")).toThrow("--samplers: infill compares all candidates");
  expect(() => started("--sampler-seq ki --top-k 0")).toThrow("from 1 to 256, not 0");
  const { defaults, notes } = started("--top-k 0", { sequence: "top_k;infill" });
  expect(defaults.samplers).toEqual(SAMPLING_DEFAULTS.samplers);
  expect(notes.join()).toContain("no sampling setting: sequence top_k;infill");
});

test("a recommendation that is none is left out and said", () => {
  const { defaults, notes } = started("", { top_p: "7", temp: "", mirostat: "1.5", sequence: "magic" });
  expect(defaults).toEqual(SAMPLING_DEFAULTS);
  expect(notes).toHaveLength(4);
  expect(notes.join()).toContain("no sampling setting: sequence magic");
});
