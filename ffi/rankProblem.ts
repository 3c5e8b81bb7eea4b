/**
 * Whether a model can rank. llama.cpp does not ask: without a classification head it gives the first number of an
 * embedding for a score, and tokens that a vocabulary lacks end the process.
 */
import type { Model } from "./Model.ts";
import { modelTensors } from "./modelFile.ts";

/** The last tensor of the head, in the architectures whose head llama.cpp reads. */
const HEADS: Readonly<Record<string, string>> = {
  bert: "cls.output.weight",
  "jina-bert-v2": "cls.weight",
  "modern-bert": "cls.output.weight",
  "neo-bert": "cls.output.weight",
  qwen3: "cls.output.weight",
  qwen3vl: "cls.output.weight",
};

/** A sentence's end saying what is missing; null where the model ranks. */
export function rankProblem(model: Model): string | null {
  const { architecture, vocab } = model;
  const head = HEADS[architecture];
  if (head === undefined) return `llama.cpp reads no classification head of ${architecture} models`;
  if (!modelTensors(model.path).has(head)) return `it has no classification head (${head})`;
  if (model.chatTemplate("rerank") !== null) return null;
  if (vocab.addBos && vocab.bos < 0) return "its vocabulary has no BOS token to put in front of a query";
  if (vocab.addEos && vocab.eos < 0 && vocab.sep < 0)
    return "its vocabulary has neither an EOS nor a SEP token";
  if (vocab.addSep && vocab.sep < 0) return "its vocabulary has no SEP token to part query and document";
  if (!vocab.addEos && !vocab.addSep)
    return "nothing parts query and document: no EOS, no SEP, no `rerank` template";
  return null;
}
