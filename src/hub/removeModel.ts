/** A model and what broken runs left of it, out of the cache: one at a time, and none that is being fetched. */
import { diskError } from "./diskError.ts";
import { HubError } from "./HubError.ts";
import { tryLockRepo } from "./lockRepo.ts";
import { type CachedModel, cachedName, type ModelCache, type UnfinishedFile } from "./ModelCache.ts";
import { type ModelName, repoOf, writeModelName } from "./ModelName.ts";
import { findModel } from "./pullModel.ts";

export interface Removed {
  /** As they are typed. */
  readonly names: readonly string[];
  readonly bytes: number;
}

/** Throws HubError: `not-found`, `bad-name` where more than one is meant, `in-use`, `folder`. */
export function removeModel(cache: ModelCache, name: ModelName): Removed {
  try {
    return remove(cache, name);
  } catch (error) {
    throw diskError(error, cache.home);
  }
}

function remove(cache: ModelCache, name: ModelName): Removed {
  using lock = tryLockRepo(cache.home, name);
  if (lock === null) {
    throw new HubError(
      "in-use",
      `${repoOf(name)} is being fetched right now; stop that first, or wait for it.`,
    );
  }
  const models = name.quant === null ? cache.ofRepo(name) : [findModel(cache, name) ?? []].flat();
  const unfinished = cache.unfinishedOf(name).filter((file) => belongs(file, models, name));
  const names = [...new Set([...models.map(cachedName), ...unfinished.map(({ model }) => model)])];
  if (names.length === 0) throw notHere(cache, name);
  if (name.quant === null && names.length > 1) {
    throw new HubError(
      "bad-name",
      `${repoOf(name)} is here more than once; name one of ${names.join(", ")}.`,
    );
  }
  for (const model of models) cache.remove(model);
  for (const file of unfinished) cache.removeUnfinished(name, file);
  return { names, bytes: [...models, ...unfinished].reduce((sum, { bytes }) => sum + bytes, 0) };
}

function belongs(file: UnfinishedFile, models: readonly CachedModel[], name: ModelName): boolean {
  if (name.quant === null) return true;
  const asked = writeModelName(name).toLowerCase();
  return file.model.toLowerCase() === asked || models.some((model) => cachedName(model) === file.model);
}

function notHere(cache: ModelCache, name: ModelName): HubError {
  const all = cache.list().map(cachedName);
  const here = all.length === 0 ? "No model is." : `Here are ${all.join(", ")}.`;
  return new HubError("not-found", `${writeModelName(name)} is not here. ${here}`);
}
