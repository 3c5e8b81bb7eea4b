/**
 * The file that a model's name stands for. One that is here is used as it is, without a network; one that is
 * not is fetched. All errors are one sentence for whoever typed the command.
 */
import { existsSync } from "node:fs";
import { cacheFolder } from "../../ffi/cacheFolder.ts";
import { type Config, withModelFile } from "../config/Config.ts";
import type { Env } from "../config/parseFlags.ts";
import { HubError } from "../hub/HubError.ts";
import { hubOptions } from "../hub/HubOptions.ts";
import { ModelCache } from "../hub/ModelCache.ts";
import { isModelName, type ModelName, parseModelName } from "../hub/ModelName.ts";
import { findModel, namesHere, type Pulled, pullModel } from "../hub/pullModel.ts";
import { CommandError } from "./CommandError.ts";
import { type ProgressOutput, showProgress } from "./showProgress.ts";

/** 128 and the signal's number, as a shell says it. */
const SIGINT_CODE = 130;

/** For everything that loads a model: its config with the path of a file. Throws CommandError. */
export async function locateModel(config: Config, env: Env, output: ProgressOutput): Promise<Config> {
  const { modelPath } = config;
  if (isModelName(modelPath)) return withModelFile(config, await modelFile(modelPath, env, output));
  if (
    /^[\w.-]+\/[\w.-]+(:[\w.-]+)?$/.test(modelPath) &&
    !/\.gguf$/i.test(modelPath) &&
    !existsSync(modelPath)
  ) {
    throw new CommandError(`There is no file ${modelPath}. Did you mean -m hf:${modelPath}?`);
  }
  return config;
}

async function modelFile(text: string, env: Env, output: ProgressOutput): Promise<string> {
  return await asCommand(async () => {
    const name = parseModelName(text);
    const cache = modelCache(env);
    const model = findModel(cache, name) ?? (await fetchModel(name, env, output)).model;
    return model.path;
  });
}

/** Asks the hub even where the model is in the cache. Throws HubError. */
export async function fetchModel(name: ModelName, env: Env, output: ProgressOutput): Promise<Pulled> {
  const cache = modelCache(env);
  const progress = showProgress(output);
  const stop = (): never => {
    progress.note("Stopped; the same command goes on from here");
    output.terminal?.write("\n");
    process.exit(SIGINT_CODE);
  };
  process.on("SIGINT", stop);
  try {
    return await pullModel(name, { options: hubOptions(env), cache, progress });
  } catch (error) {
    const here = namesHere(cache, name);
    if (!(error instanceof HubError) || error.code !== "unreachable" || here === "") throw error;
    throw new HubError(error.code, `${error.message} Here already: ${here}.`);
  } finally {
    process.off("SIGINT", stop);
  }
}

export function modelCache(env: Env): ModelCache {
  return new ModelCache(cacheFolder(env));
}

/** HubErrors are sentences already. */
export async function asCommand<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof HubError) throw new CommandError(error.message);
    throw error;
  }
}
