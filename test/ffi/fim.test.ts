/** Tokens to fill in the middle, as a model's file names them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Model } from "../../ffi/Model.ts";
import { u32 } from "../support/gguf/GgufValue.ts";
import { writeGguf } from "../support/gguf/writeGguf.ts";
import { qwen3 } from "../support/tinyModels/architectures/qwen3.ts";
import { Vocabulary } from "../support/tinyModels/Vocabulary.ts";
import { openBackend } from "./rig.ts";

const backend = openBackend();
const FAMILY = {
  pre: "qwen2",
  bos: "<|endoftext|>",
  eos: "<|im_end|>",
  eot: "<|im_end|>",
  addBos: false,
} as const;
/** Loading a library and a vocabulary on a busy machine. */
const LOAD_MS_MAX = 60_000;
const KEYS = { prefix: "pre", suffix: "suf", middle: "mid", repo: "rep", separator: "sep" } as const;

describe.skipIf(backend === null)("a vocabulary", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "warmturn-fim-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function fimOf(named: Readonly<Record<string, number>>): Promise<unknown> {
    if (backend === null) return null;
    const metadata = qwen3.metadata();
    for (const [key, value] of new Vocabulary().metadata(FAMILY, "{{ messages }}")) metadata.set(key, value);
    for (const [key, id] of Object.entries(named))
      metadata.set(`tokenizer.ggml.fim_${key}_token_id`, u32(id));
    const path = join(folder, `${Object.keys(named).join("-")}.gguf`);
    await writeFile(path, writeGguf({ metadata, tensors: [] }));
    using model = Model.load(backend, { path, vocabOnly: true });
    return model.vocab.fim;
  }

  test(
    "that names them",
    async () => {
      const ids = { prefix: 11, suffix: 12, middle: 13, repo: 14, separator: 15 };
      const named = Object.entries(ids).map(([name, id]) => [KEYS[name as keyof typeof KEYS], id]);
      expect(await fimOf(Object.fromEntries(named))).toEqual(ids);
    },
    LOAD_MS_MAX,
  );

  test(
    "that has none",
    async () => {
      expect(await fimOf({})).toEqual({ prefix: -1, suffix: -1, middle: -1, repo: -1, separator: -1 });
    },
    LOAD_MS_MAX,
  );
});
