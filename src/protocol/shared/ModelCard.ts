/** What is told of the model that is served, read from its file once. */
import type { FimTokens } from "../../run/TextVocab.ts";

/** How query and document are put together to be ranked. */
export interface RankForm {
  /** With `{query}` and `{document}` in it; null: BOS, query, EOS, SEP, document, EOS, those that there are. */
  readonly template: string | null;
  readonly bos: number | null;
  readonly eos: number | null;
  readonly sep: number | null;
}

export interface ModelCard {
  readonly path: string;
  /** Of all tensors. */
  readonly bytes: number;
  readonly parameters: number;
  /** llama.cpp's number of the vocabulary's kind. */
  readonly vocabKind: number;
  readonly vocabSize: number;
  /** Tokens of context that it was trained for; 0 where the file does not say. */
  readonly ctxTrain: number;
  readonly embedding: number;
  readonly template: string;
  /** For requests with tools, where the model has one of its own. */
  readonly toolUseTemplate: string | null;
  /** Put in front of a prompt; null where the model wants none. */
  readonly bos: number | null;
  /** Put behind a text by `/tokenize` and to embed it; null where the model wants none. */
  readonly eos: number | null;
  readonly bosText: string;
  readonly eosText: string;
  readonly fim: FimTokens;
  readonly rank: RankForm;
  /** This program and llama.cpp's library. */
  readonly build: string;
}
