/**
 * A tiny dense model with a vocabulary as large as those of today's models: what grammars cost is a matter of
 * the vocabulary. Made once, about 80 MB in `.cache/models/`.
 */
import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { bool, numbers, str, strings, u32 } from "../gguf/GgufValue.ts";
import { writeGguf } from "../gguf/writeGguf.ts";
import { qwen3 } from "./architectures/qwen3.ts";
import { byteSymbol } from "./byteAlphabet.ts";
import { Prng } from "./Prng.ts";
import { Weights } from "./Weights.ts";

const SIZE = 150_000;
const SEED = "large-1";
const CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] as const;

const SYLLABLES =
  "a e i o u an en in on er ar or al el il ba be bi bo ca ce co da de di do fa fe ga ge ha he ja ka ke la le li lo ma me mi mo na ne ni no pa pe po ra re ri ro sa se si so ta te ti to va ve wa we ya za tion ing ment ness ed ly th sh ch st tr pr".split(
    " ",
  );
const MARKS = [
  '"',
  '":',
  '",',
  '"}',
  '{"',
  "}",
  "]",
  "[",
  ", ",
  ": ",
  "\n",
  "  ",
  "(",
  ")",
  ".",
  "=",
  "_",
  "/",
  "\\n",
  "é",
  "漢",
  "Ж",
];

/** Path of the file. */
export async function largeVocabularyModel(): Promise<string> {
  const path = fileURLToPath(new URL(`../../../.cache/models/${SEED}-${SIZE}.gguf`, import.meta.url));
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    await mkdir(fileURLToPath(new URL("../../../.cache/models/", import.meta.url)), { recursive: true });
    await writeFile(`${path}.${process.pid}.tmp`, makeModel());
    await rename(`${path}.${process.pid}.tmp`, path);
  }
  return path;
}

function makeModel(): Uint8Array {
  const tokens = makeTokens(SIZE, CONTROL);
  const weights = new Weights(SEED, qwen3.nEmbd);
  weights.embedding("token_embd.weight", SIZE);
  qwen3.addLayers(weights);
  weights.norm(qwen3.outputNorm, qwen3.nEmbd);
  weights.head(
    "output.weight",
    tokens.map((_, id) => (id >= SIZE - CONTROL.length ? "never" : "word")),
  );
  const metadata = qwen3.metadata();
  const end = SIZE - 1;
  const types = tokens.map((_, id) => (id >= SIZE - CONTROL.length ? 3 : 1));
  metadata.set("tokenizer.ggml.model", str("gpt2"));
  metadata.set("tokenizer.ggml.pre", str("qwen2"));
  metadata.set("tokenizer.ggml.tokens", strings(tokens));
  metadata.set("tokenizer.ggml.token_type", numbers("int32", types));
  metadata.set("tokenizer.ggml.merges", strings(["a b"]));
  metadata.set("tokenizer.ggml.bos_token_id", u32(end - 2));
  metadata.set("tokenizer.ggml.eos_token_id", u32(end));
  metadata.set("tokenizer.ggml.add_bos_token", bool(false));
  return writeGguf({ metadata, tensors: weights.tensors });
}

/** Bytes, then words and marks put together, each once, in the byte-level alphabet; `specials` stand last. */
export function makeTokens(size: number, specials: readonly string[]): string[] {
  const random = new Prng(SEED);
  const pick = (list: readonly string[]): string => list[Math.floor(random.uniform() * list.length)] ?? "";
  const tokens = new Set(Array.from({ length: 256 }, (_, byte) => byteSymbol(byte)));
  while (tokens.size < size - specials.length) {
    const kind = random.uniform();
    let text = kind < 0.5 ? " " : "";
    if (kind > 0.92) text = pick(MARKS) + pick(MARKS) + (kind > 0.96 ? pick(MARKS) : "");
    else
      for (let count = 1 + Math.floor(random.uniform() * 4); count > 0; count -= 1) text += pick(SYLLABLES);
    if (kind > 0.8 && kind < 0.9) text = text.charAt(0).toUpperCase() + text.slice(1);
    tokens.add(Array.from(new TextEncoder().encode(text), byteSymbol).join(""));
  }
  return [...tokens, ...specials];
}
