/**
 * What the oracle is told of a tiny model: openers, template variables and chunk settings written down here by
 * hand, and a plain tokenisation of the whole text. Nothing comes from the planner or from a server's report.
 */
import { Backend } from "../../../ffi/Backend.ts";
import { Model } from "../../../ffi/Model.ts";
import type { OracleSettings } from "../oracle/expectedResume.ts";
import type { CutRules } from "../oracle/naiveCuts.ts";
import { TINY_KINDS, type TinyKind, type TinyModel } from "../tinyModels/tinyModel.ts";

/** The special token that opens a message in each template. */
const OPENERS: Readonly<Record<TinyKind, string>> = {
  qwen3: "<|im_start|>",
  qwen35: "<|im_start|>",
  lfm2: "<|im_start|>",
  gemma3: "<start_of_turn>",
  mamba2: "<|start_header_id|>",
};

export type ChunkSettings = Omit<CutRules, "openers">;

export interface OpenOracle extends Disposable {
  readonly settings: OracleSettings;
}

export function openOracle(model: TinyModel, settings: ChunkSettings): OpenOracle {
  const backend = Backend.open();
  const loaded = Model.load(backend, { path: model.path, vocabOnly: true });
  const { vocab } = loaded;
  const tokenise = (text: string): number[] => [...vocab.tokenise(text, true)];
  const opener = tokenise(OPENERS[model.kind]);
  if (opener.length !== 1) throw new Error(`${OPENERS[model.kind]} is no token of ${model.kind}`);
  return {
    settings: {
      template: model.template,
      variables: { bos_token: model.bosToken, eos_token: model.eosToken, enable_thinking: true },
      tokenise,
      rules: { openers: [opener], ...settings },
    },
    [Symbol.dispose]() {
      loaded.close();
      backend.close();
    },
  };
}

/** Trips on the window model alone. */
export function settingsOf(kind: TinyKind, base: ChunkSettings): ChunkSettings {
  if (!TINY_KINDS.includes(kind)) throw new Error(`no model ${kind}`);
  const plain = { taperTokens: 0, ...base };
  return kind === "gemma3" ? plain : { ...plain, tripTokensMin: 0 };
}
