/**
 * From a config to a service that answers chats: library, vocabulary, template, engine, warm pass. The order lets a
 * fault in the model's file be reported before the engine is started on it.
 */
import { randomUUID } from "node:crypto";
import { Backend } from "../../ffi/Backend.ts";
import { FfiError } from "../../ffi/FfiError.ts";
import { Model } from "../../ffi/Model.ts";
import { StartError } from "../base/StartError.ts";
import type { Config } from "../config/Config.ts";
import { samplingDefaults } from "../config/samplingDefaults.ts";
import { EngineStartError } from "../engine/EngineClient.ts";
import { chainSeed } from "../plan/KeyChain.ts";
import { authOf } from "../protocol/http/auth.ts";
import { isLoopback } from "../protocol/http/gate.ts";
import type { ServiceDeps } from "../protocol/shared/ServiceDeps.ts";
import { Activity } from "../serve/Activity.ts";
import { systemClock } from "../serve/Clock.ts";
import { Conversations } from "../serve/conversations.ts";
import { Metrics } from "../serve/Metrics.ts";
import { RecentTurns } from "../serve/RecentTurns.ts";
import { replyFields } from "../serve/replyFields.ts";
import { warmOff } from "../warm/Warm.ts";
import { WarmClient } from "../warm/WarmClient.ts";
import { workerLink } from "../warm/workerLink.ts";
import { prompterOf, rulesOf, templatesOf } from "./chatTemplate.ts";
import { engineStarter } from "./engineStarter.ts";
import type { LoadWatch } from "./LoadWatch.ts";
import { readModelCard } from "./readModelCard.ts";

/** Throws StartError. */
export async function loadModel(config: Config, watch: LoadWatch): Promise<ServiceDeps> {
  try {
    return await load(config, watch);
  } catch (error) {
    if (error instanceof FfiError || error instanceof EngineStartError)
      throw new StartError(withNextStep(error));
    throw error;
  }
}

async function load(config: Config, watch: LoadWatch): Promise<ServiceDeps> {
  const { log } = watch;
  const backend = Backend.open({ explicit: config.flags.llamaLib ?? undefined });
  for (const note of backend.notes) log.warn(note);
  // Its own model, vocabulary only: nothing that the HTTP side uses can be freed under it.
  const model = Model.load(backend, { path: config.modelPath, vocabOnly: true });
  const { vocab } = model;
  const templates = templatesOf(model, config);
  const sampling = samplingDefaults(config.flags, (key) => model.meta(key));
  for (const note of sampling.notes) log.info(note);
  const prompter = prompterOf(templates, vocab);
  const libraryPath = backend.library.path;
  const shimPath = process.env["WARMTURN_SHIM"] ?? null;
  const startEngine = watch.startEngine ?? engineStarter(config, watch);
  const engine = await startEngine({ ...config.engine, libraryPath, shimPath });
  for (const note of engine.ready.notes) log.warn(note);
  if (!engine.ready.resume.allowed && !model.isEncoder) {
    log.warn(`States are never resumed here: ${engine.ready.resume.why}`);
  }
  const { nameOfTenant } = authOf(config.apiKeys);
  const metrics = new Metrics();
  const recent = new RecentTurns();
  const rules = rulesOf(prompter, engine.ready, config.engine.ubatch);
  const warm =
    config.flags.warm === "off" || model.isEncoder
      ? warmOff
      : new WarmClient({
          engine,
          settings: {
            modelPath: config.modelPath,
            libraryPath,
            shimPath,
            template: templates.template,
            toolUseTemplate: templates.toolUse,
            rules,
          },
          openLink: workerLink(),
          onRun: (tenant, report) => metrics.warmed(tenant, report),
          log: { info: (message) => log.debug(message), warn: (message) => log.warn(message) },
        });
  const newId = (): string => randomUUID().replaceAll("-", "");
  return {
    turn: {
      engine,
      prompter,
      vocab,
      rules,
      chainSeed: (tenant) => chainSeed(engine.ready.setup, tenant),
      conversations: new Conversations(),
      activity: new Activity(engine.ready.lanes, [
        { ended: (run) => log.info(replyFields(run, nameOfTenant(run.task.tenant)), "reply") },
        metrics,
        recent,
      ]),
      warm,
      shareStates: config.flags.shareStates,
      redact: config.flags.redact,
      queueMax: config.limits.queueMax,
      ...(config.flags.reasoningBudget >= 0 ? { reasoningBudget: config.flags.reasoningBudget } : {}),
      newCallId: () => `call_${newId().slice(0, 24)}`,
      warn: (message) => log.warn(message),
    },
    metrics,
    recent,
    models: {
      name: config.modelName,
      strict: config.flags.strictModel,
      createdSeconds: systemClock.nowSeconds(),
    },
    card: readModelCard(model, templates, backend),
    embdNormalize: config.flags.embdNormalize,
    endpoints: { slots: config.flags.slots, metrics: config.flags.metrics ?? isLoopback(config.host) },
    sampling: { defaults: sampling.defaults, vocab, limits: config.limits },
    keepAttribution: config.flags.keepAttributionHeader,
    limits: config.limits,
    clock: systemClock,
    newId,
  };
}

function withNextStep(error: FfiError | EngineStartError): string {
  if (!(error instanceof FfiError) || error.code !== "model-file") return error.message;
  return `${error.message.replace(/\.$/, "")}; name the whole GGUF file of a model, or one of a hub as hf:OWNER/REPO.`;
}
