/** The served model as Ollama lists and shows it. */
import { createHash } from "node:crypto";
import { version } from "../../../package.json";
import { objectAt } from "../../chat/fields.ts";
import { parseBody } from "../http/parseBody.ts";
import { servedModel } from "../http/servedModel.ts";
import { RequestFields } from "../shared/RequestFields.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";

/** The API's that is spoken: clients ask for a least one. */
const OLLAMA_VERSION = "0.12.6";
/** It never expires. */
const FOREVER = "9999-12-31T23:59:59Z";

export function versionOf(): object {
  return { version: OLLAMA_VERSION, warmturn: version };
}

export function tags(deps: ServiceDeps): object {
  return { models: [row(deps)] };
}

export function running(deps: ServiceDeps): object {
  const { size, ...rest } = row(deps);
  const { ctxTokens } = deps.turn.engine.ready;
  return {
    models: [{ ...rest, size, size_vram: 0, expires_at: FOREVER, context_length: ctxTokens }],
  };
}

/** Throws AppError for a body that is none, and for another model with `--strict-model`. */
export function shown(raw: string, deps: ServiceDeps): object {
  const fields = new RequestFields(objectAt(parseBody(raw), "body"));
  const [model, older] = [fields.text("model"), fields.text("name")];
  servedModel(model ?? older ?? null, deps.models);
  // More of a tokenizer than anybody reads.
  fields.boolean("verbose", false);
  const { card, turn } = deps;
  const { architecture } = turn.engine.ready.facts;
  return {
    license: "",
    modelfile: "",
    parameters: "",
    template: card.template,
    details: details(deps),
    model_info: {
      "general.architecture": architecture,
      "general.parameter_count": card.parameters,
      [`${architecture}.context_length`]: turn.engine.ready.ctxTokens,
      [`${architecture}.embedding_length`]: card.embedding,
    },
    capabilities: capabilities(deps),
    modified_at: modifiedAt(deps),
  };
}

function row(deps: ServiceDeps) {
  const { name } = deps.models;
  const { bytes, parameters } = deps.card;
  return {
    name,
    model: name,
    modified_at: modifiedAt(deps),
    size: bytes,
    // Of what is told of it: the file's own would take a minute to read.
    digest: createHash("sha256").update(`${name} ${bytes} ${parameters}`).digest("hex"),
    details: details(deps),
  };
}

function details({ turn, card }: ServiceDeps): object {
  const { architecture, quantisation } = turn.engine.ready.facts;
  return {
    parent_model: "",
    format: "gguf",
    family: architecture,
    families: [architecture],
    parameter_size: sizeWord(card.parameters),
    quantization_level: quantisation.replaceAll(" - ", "_").replace("_Medium", "_M").replace("_Small", "_S"),
  };
}

function sizeWord(parameters: number): string {
  if (parameters >= 1e9) return `${(parameters / 1e9).toFixed(1)}B`;
  return parameters >= 1e6 ? `${(parameters / 1e6).toFixed(1)}M` : `${(parameters / 1e3).toFixed(1)}K`;
}

function modifiedAt({ models }: ServiceDeps): string {
  return new Date(models.createdSeconds * 1000).toISOString();
}

function capabilities({ turn }: ServiceDeps): readonly string[] {
  const { lanes, embeddings } = turn.engine.ready;
  const embeds = embeddings === null ? [] : ["embedding"];
  // An encoder writes nothing.
  if (lanes === 0) return embeds;
  const { reasoningTags } = turn.prompter.tokens(HELLO, { addGenerationPrompt: true });
  const thinks = reasoningTags === undefined || reasoningTags === null ? [] : ["thinking"];
  return ["completion", "tools", ...thinks, ...embeds];
}

const HELLO = {
  messages: [{ role: "user", content: "hi" }],
  tools: [],
  kwargs: new Map([["enable_thinking", true]]),
} as const;
