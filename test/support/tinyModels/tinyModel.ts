/**
 * Small true models for tests: random weights, the same bytes on every machine, made once and kept in
 * `.cache/models/` under a name that holds the hash of everything they are made from.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { MemoryKind } from "../../../src/run/EngineReady.ts";
import type { GgufValue } from "../gguf/GgufValue.ts";
import { writeGguf } from "../gguf/writeGguf.ts";
import type { Architecture } from "./architectures/Architecture.ts";
import { gemma3, WINDOW } from "./architectures/gemma3.ts";
import { lfm2 } from "./architectures/lfm2.ts";
import { mamba2 } from "./architectures/mamba2.ts";
import { qwen3 } from "./architectures/qwen3.ts";
import { qwen35 } from "./architectures/qwen35.ts";
import type { ControlToken } from "./specials.ts";
import { type TokenizerFamily, Vocabulary } from "./Vocabulary.ts";
import { Weights } from "./Weights.ts";

export const TINY_KINDS = ["qwen3", "qwen35", "lfm2", "gemma3", "mamba2"] as const;
export type TinyKind = (typeof TINY_KINDS)[number];

export interface TinyModel {
  /** Absolute path of the GGUF file. */
  readonly path: string;
  readonly kind: TinyKind;
  readonly memory: MemoryKind;
  /** The chat template, as in the file's metadata. */
  readonly template: string;
  /** Spelling of BOS and EOS, for rendering. */
  readonly bosToken: string;
  readonly eosToken: string;
  /** Tokens of the sliding window. */
  readonly window?: number;
}

interface Recipe {
  readonly architecture: Architecture;
  readonly memory: MemoryKind;
  readonly family: TokenizerFamily;
  readonly window?: number;
}

const SEED = "tiny-2";
const HERE = new URL(".", import.meta.url);
const CACHE = new URL("../../../.cache/models/", HERE);

const RECIPES: Readonly<Record<TinyKind, Recipe>> = {
  qwen3: {
    architecture: qwen3,
    memory: "dense",
    family: family("qwen2", "<|endoftext|>", "<|im_end|>", false),
  },
  qwen35: {
    architecture: qwen35,
    memory: "hybrid",
    family: family("qwen35", "<|endoftext|>", "<|im_end|>", false),
  },
  lfm2: {
    architecture: lfm2,
    memory: "hybrid",
    family: family("lfm2", "<|startoftext|>", "<|im_end|>", true),
  },
  gemma3: {
    architecture: gemma3,
    memory: "window",
    family: family("default", "<bos>", "<end_of_turn>", true),
    window: WINDOW,
  },
  mamba2: {
    architecture: mamba2,
    memory: "recurrent",
    family: family("llama-bpe", "<|begin_of_text|>", "<|eot_id|>", true),
  },
};

/** One end token for both ends: eos and eot. */
function family(pre: string, bos: ControlToken, end: ControlToken, addBos: boolean): TokenizerFamily {
  return { pre, bos, eos: end, eot: end, addBos };
}

/** The model's file, made where the cache lacks it. Safe when several processes ask at once. */
export async function tinyModel(kind: TinyKind): Promise<TinyModel> {
  const { memory, window, family } = RECIPES[kind];
  const path = fileURLToPath(new URL(`${kind}-${await inputsHash()}.gguf`, CACHE));
  const template = await readTemplate(kind);
  if (!(await exists(path))) await writeWhole(path, await makeTinyModel(kind));
  const { bos: bosToken, eos: eosToken } = family;
  return { path, kind, memory, template, bosToken, eosToken, ...(window === undefined ? {} : { window }) };
}

/** The file's bytes, made anew; `more` adds to weights and metadata. */
export async function makeTinyModel(
  kind: TinyKind,
  more: (weights: Weights, metadata: Map<string, GgufValue>) => void = () => {},
): Promise<Uint8Array> {
  const { architecture, family } = RECIPES[kind];
  const vocabulary = new Vocabulary();
  const weights = new Weights(`${SEED}/${kind}`, architecture.nEmbd);
  weights.embedding("token_embd.weight", vocabulary.tokens.length, architecture.embeddingScale);
  architecture.addLayers(weights);
  weights.norm(architecture.outputNorm, architecture.nEmbd);
  weights.head(
    "output.weight",
    vocabulary.tokens.map((_, id) => vocabulary.speech(id, family)),
  );
  const metadata = architecture.metadata();
  for (const [key, value] of vocabulary.metadata(family, await readTemplate(kind))) metadata.set(key, value);
  more(weights, metadata);
  return writeGguf({ metadata, tensors: weights.tensors });
}

function readTemplate(kind: TinyKind): Promise<string> {
  return readFile(new URL(`templates/${kind}.jinja`, HERE), "utf8");
}

/** Hash of all source that a model's bytes depend on: whatever is changed there makes new files. */
async function inputsHash(): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for (const folder of [HERE, new URL("../gguf/", HERE)]) {
    const names = await readdir(folder, { recursive: true });
    for (const name of names.filter((it) => /(?<!\.test)\.(ts|jinja)$/.test(it)).sort()) {
      hash.update(`${name}\0`);
      hash.update(await readFile(new URL(name, folder)));
    }
  }
  return hash.digest("hex").slice(0, 16);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Readers see the whole file or none: it is written under another name and renamed. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
