/** The model's card, from its file. */

import type { Backend } from "../../ffi/Backend.ts";
import type { Model } from "../../ffi/Model.ts";
import { version } from "../../package.json";
import type { ModelCard } from "../protocol/shared/ModelCard.ts";
import type { Templates } from "./chatTemplate.ts";

export function readModelCard(model: Model, templates: Templates, backend: Backend): ModelCard {
  const { vocab } = model;
  // A model of vocabulary only does not read these itself.
  const meta = (name: string): number => Number(model.meta(`${model.architecture}.${name}`) ?? 0);
  return {
    path: model.path,
    bytes: model.bytes,
    parameters: model.parameters,
    vocabKind: vocab.kind,
    vocabSize: vocab.size,
    ctxTrain: meta("context_length"),
    embedding: meta("embedding_length"),
    template: templates.template,
    toolUseTemplate: templates.toolUse,
    bos: tokenOrNull(vocab.addBos, vocab.bos),
    eos: tokenOrNull(true, vocab.end),
    bosText: vocab.text(vocab.bos),
    eosText: vocab.text(vocab.eos),
    fim: vocab.fim,
    rank: {
      template: model.chatTemplate("rerank"),
      bos: tokenOrNull(vocab.addBos, vocab.bos),
      // As llama-server: SEP where there is no EOS.
      eos: tokenOrNull(vocab.addEos, vocab.eos >= 0 ? vocab.eos : vocab.sep),
      sep: tokenOrNull(vocab.addSep, vocab.sep),
    },
    build: `warmturn ${version}, llama.cpp ${backend.version()}`,
  };
}

function tokenOrNull(wanted: boolean, token: number): number | null {
  return wanted && token >= 0 ? token : null;
}
