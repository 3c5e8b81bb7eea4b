/** A tiny qwen3 that ranks as Qwen3-Reranker does: a template of its own, and two labels in softmax. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { str, strings, u32 } from "../gguf/GgufValue.ts";
import { N_EMBD } from "./architectures/blocks.ts";
import { makeTinyModel } from "./tinyModel.ts";

export const RANK_TEMPLATE = "<|im_start|>user\nQ: {query}\nD: {document}<|im_end|>\n<|im_start|>assistant\n";

export interface TinyRanker extends AsyncDisposable {
  readonly path: string;
  /** Rows of the head, one a label. */
  readonly labels: readonly Float32Array[];
}

/** In a folder of its own, which goes with it. */
export async function tinyRanker(): Promise<TinyRanker> {
  const labels: Float32Array[] = [];
  const bytes = await makeTinyModel("qwen3", (weights, metadata) => {
    weights.fill("cls.output.weight", [N_EMBD, 2], (random) => 0.1 * random.normal());
    const head = weights.tensors.at(-1)?.data ?? new Float32Array();
    labels.push(head.subarray(0, N_EMBD), head.subarray(N_EMBD));
    metadata.set("qwen3.pooling_type", u32(4));
    metadata.set("qwen3.classifier.output_labels", strings(["yes", "no"]));
    metadata.set("tokenizer.chat_template.rerank", str(RANK_TEMPLATE));
  });
  const folder = await mkdtemp(join(tmpdir(), "warmturn-ranker-"));
  const path = join(folder, "tiny-ranker.gguf");
  await writeFile(path, bytes);
  return { path, labels, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
