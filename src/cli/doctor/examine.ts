/**
 * The examination: machine, library, model file, template, engine, in the order in which the server opens them and by
 * the same code. What stops one step is a finding; what could be told before it is told.
 */

import { Backend } from "../../../ffi/Backend.ts";
import { FfiError } from "../../../ffi/FfiError.ts";
import { Model } from "../../../ffi/Model.ts";
import { version } from "../../../package.json";
import { StartError } from "../../base/StartError.ts";
import type { Config } from "../../config/Config.ts";
import { program } from "../../config/program.ts";
import { PoolingError } from "../../engine/LlamaEmbedder.ts";
import type { openEngine } from "../../engine/open/openEngine.ts";
import { MemoryError } from "../../engine/open/planMemory.ts";
import type { Prompter } from "../../prompt/Prompter.ts";
import { DeviceError } from "../../run/Device.ts";
import { prompterOf, rulesOf, templatesOf } from "../../start/chatTemplate.ts";
import type { DoctorReport, Finding } from "./DoctorReport.ts";
import { exactnessReport, memoryReport, modelReport } from "./engineReport.ts";
import { finding, findingsOf } from "./findings.ts";
import { libraryReport, machineReport } from "./machineReport.ts";
import { plainRefusal, templateReport } from "./templateReport.ts";

export interface ExamineOptions {
  /** Null where no model is named: machine and library alone. */
  readonly config: Config | null;
  /** `--llama-lib`. */
  readonly llamaLib: string | null;
  readonly openEngine: typeof openEngine;
  /** Whether the machine has an NVIDIA card; looked for where left out. */
  readonly nvidia?: boolean;
  /** Called in front of each step that takes time. */
  readonly onStep: (step: string) => void;
}

type Parts = { -readonly [K in keyof DoctorReport]: DoctorReport[K] };

/** Never throws for what is wrong with the machine, the model or the settings. */
export function examine(options: ExamineOptions): DoctorReport {
  const parts: Parts = {
    schema: 1,
    version,
    ok: true,
    machine: machineReport(),
    library: null,
    model: null,
    template: null,
    memory: null,
    exactness: null,
    findings: [],
  };
  const problems = lookAtAll(parts, options);
  const found = options.config === null ? [] : findingsOf(parts, options.config);
  const findings = [...problems, ...parts.findings, ...found];
  return { ...parts, findings, ok: findings.every(({ level }) => level !== "wrong") };
}

/** Fills `parts` as far as it comes; gives what is wrong on the way. */
function lookAtAll(parts: Parts, options: ExamineOptions): readonly Finding[] {
  const { config, llamaLib, openEngine, nvidia, onStep } = options;
  let about: Finding["about"] = "library";
  try {
    const search = nvidia === undefined ? {} : { nvidia };
    const backend = Backend.open({ ...search, explicit: llamaLib ?? undefined });
    parts.library = libraryReport(backend);
    // With `--gpu-layers 0` a GPU that cannot be used is no finding.
    const level = config?.engine.gpuLayers === 0 ? "note" : "wrong";
    parts.findings = backend.notes.map((note) => finding(level, "gpu", note));
    if (config === null) return [NO_MODEL];
    about = "model";
    onStep("reading the vocabulary");
    using vocabulary = Model.load(backend, { path: config.modelPath, vocabOnly: true });
    const { prompter, problems } = vocabulary.isEncoder ? NO_TEMPLATE : studied(vocabulary, config, parts);
    onStep("loading the model");
    const opened = openEngine({
      ...config.engine,
      libraryPath: backend.library.path,
      shimPath: process.env["WARMTURN_SHIM"] ?? null,
    });
    using _embedder = opened.embedder;
    parts.model = modelReport(config.modelPath, opened);
    if (opened.device === null) return [ENCODER];
    using _device = opened.device;
    const rules = prompter === null ? opened.ready : rulesOf(prompter, opened.ready, config.engine.ubatch);
    parts.memory = memoryReport(opened, config.engine, rules);
    onStep("testing that kept states give the same logits");
    parts.exactness = exactnessReport(opened);
    return problems;
  } catch (error) {
    return [stoppedBy(error, about)];
  }
}

interface Studied {
  /** Null where the template cannot be used. */
  readonly prompter: Prompter | null;
  readonly problems: readonly Finding[];
}

const NO_TEMPLATE: Studied = { prompter: null, problems: [] };

/** Where the template cannot be used, the engine is examined all the same. */
function studied(model: Model, config: Config, parts: Parts): Studied {
  try {
    const prompter = prompterOf(templatesOf(model, config), model.vocab);
    const refusal = plainRefusal(prompter);
    if (refusal !== undefined) return unusable(refusal);
    parts.template = templateReport(prompter, model.vocab, config.flags.chatTemplateFile ?? "model");
    return { prompter, problems: [] };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return unusable(error.message);
  }
}

function unusable(why: string): Studied {
  return { prompter: null, problems: [finding("wrong", "template", why, OTHER_TEMPLATE)] };
}

const OTHER_TEMPLATE = "Name one that fits the model with --chat-template-file.";
const WHOLE_FILE = "Name the whole GGUF file of a chat model.";
const NO_MODEL = finding(
  "note",
  "model",
  "No model is named.",
  `${program} doctor model.gguf looks at a model, its template and its kept states as well.`,
);

/** Rethrows an error of an unexpected kind. */
function stoppedBy(error: unknown, about: Finding["about"]): Finding {
  // Their sentences say what to do.
  if (error instanceof MemoryError) return finding("wrong", "memory", error.message);
  if (error instanceof PoolingError) return finding("wrong", "model", error.message);
  if (!(error instanceof FfiError) && !(error instanceof DeviceError)) throw error;
  if (error.code === "out-of-memory") return finding("wrong", "memory", error.message, LESS_MEMORY);
  return finding("wrong", about, error.message, about === "model" ? WHOLE_FILE : "");
}

const ENCODER = finding(
  "note",
  "model",
  "An encoder: it embeds or ranks, writes no text, and keeps no states.",
);
const LESS_MEMORY = "Start with a smaller --ctx-size, --parallel or --state-ram.";
