/** The setup's hash names everything that may decide bits (I5), each part of it on its own, and nothing else. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineOptions } from "../../../../src/engine/open/EngineOptions.ts";
import { type SetupFacts, setupHash } from "../../../../src/engine/open/setup.ts";

const folder = mkdtempSync(join(tmpdir(), "warmturn-setup-"));
const modelPath = join(folder, "a.gguf");
const otherModel = join(folder, "b.gguf");
const copiedModel = join(folder, "c.gguf");
beforeAll(() => {
  writeFileSync(modelPath, "one model");
  writeFileSync(otherModel, "two model");
  writeFileSync(copiedModel, "one model");
});
afterAll(() => rmSync(folder, { recursive: true }));

const OPTIONS: EngineOptions = {
  modelPath,
  libraryPath: "/lib/libllama.so",
  shimPath: null,
  ctxSize: 4096,
  parallel: 2,
  spareSequences: 1,
  threads: 2,
  threadsBatch: 2,
  gpuLayers: -1,
  cacheTypeK: "f16",
  cacheTypeV: "f16",
  ubatch: 512,
  mmap: true,
  mlock: false,
  tensorSplit: [1, 1],
  mainGpu: 0,
  overrideTensor: [],
  nCpuMoe: 0,
  embeddings: null,
  rope: {
    scaling: null,
    scale: 0,
    freqBase: 0,
    freqScale: 0,
    yarnOrigCtx: 0,
    yarnExtFactor: -1,
    yarnAttnFactor: -1,
    yarnBetaFast: -1,
    yarnBetaSlow: -1,
  },
  chunkTokensMin: 0,
  chunkTokensMax: 0,
  tripTokensMin: 0,
  taperTokens: -1,
  stateDisk: null,
  stateRamBytes: 0,
  exactDecode: false,
  debugHashes: false,
  debugIntegrity: false,
  queueMax: 8,
  home: folder,
};
const FACTS: SetupFacts = {
  program: "0.1.0 39f2bd0705070952",
  library: "0.4.0 libllama.so",
  devices: ["CPU libggml-cpu-haswell.so"],
  systemInfo: "AVX2 = 1",
  ctxTokens: 4096,
  sequences: 3,
  padding: null,
  chunkTokensMin: 32,
  chunkTokensMax: 512,
  taperTokens: 0,
  tripTokensMin: 128,
};

const OTHER_OPTIONS: readonly Partial<EngineOptions>[] = [
  { modelPath: otherModel },
  { threads: 1 },
  { threadsBatch: 1 },
  { ubatch: 256 },
  { gpuLayers: 4 },
  { tensorSplit: [1, 2] },
  { mainGpu: 1 },
  { overrideTensor: [{ pattern: "ffn", bufferType: "CPU" }] },
  { nCpuMoe: 3 },
  { cacheTypeK: "q8_0" },
  { cacheTypeV: "q8_0" },
  ...Object.entries({ ...OPTIONS.rope, scaling: "yarn", scale: 7 }).map(([name, value]) => ({
    rope: { ...OPTIONS.rope, [name]: typeof value === "number" ? value + 2 : value },
  })),
];
const OTHER_FACTS: readonly Partial<SetupFacts>[] = [
  { program: "0.1.0 96244b179a1538d4" },
  { library: "0.4.1 libllama.so" },
  { devices: ["CPU libggml-cpu-sse42.so"] },
  { systemInfo: "AVX512 = 1" },
  { ctxTokens: 8192 },
  { sequences: 2 },
  { padding: { weights: 1, attention: 1 } },
  { chunkTokensMin: 64 },
  { chunkTokensMax: 256 },
  { taperTokens: 900 },
  { tripTokensMin: 0 },
];
const NO_BITS: readonly Partial<EngineOptions>[] = [
  { modelPath: copiedModel },
  { mmap: false },
  { mlock: true },
  { stateRamBytes: 1 },
  { queueMax: 1 },
  { debugHashes: true },
  { debugIntegrity: true },
  { home: "/elsewhere" },
];

test("each part that may decide bits gives another setup", () => {
  const hashes = [
    setupHash(OPTIONS, FACTS),
    ...OTHER_OPTIONS.map((other) => setupHash({ ...OPTIONS, ...other }, FACTS)),
    ...OTHER_FACTS.map((other) => setupHash(OPTIONS, { ...FACTS, ...other })),
  ];
  expect(new Set(hashes).size).toBe(1 + OTHER_OPTIONS.length + OTHER_FACTS.length);
});

test("no fact is forgotten here", () => {
  expect(OTHER_FACTS.flatMap((other) => Object.keys(other)).sort()).toEqual(Object.keys(FACTS).sort());
});

test("what decides no bits gives the same one", () => {
  for (const other of NO_BITS) {
    expect(setupHash({ ...OPTIONS, ...other }, FACTS)).toBe(setupHash(OPTIONS, FACTS));
  }
});
