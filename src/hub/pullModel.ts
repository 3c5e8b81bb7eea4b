/**
 * A model by its name into the cache: which files are meant, one process at a time, each file fetched and
 * checked, and only when all are whole do they get their names. Written by hand: `@huggingface/hub` begins a file anew
 * after each break, checks no hash and locks nothing, which files of many gigabytes need.
 */
import { statfsSync, statSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { chooseModel, isDefault, type ModelFiles } from "./chooseModel.ts";
import { diskError, diskFull } from "./diskError.ts";
import { fetchFile } from "./fetchFile.ts";
import { HubError } from "./HubError.ts";
import type { HubFile } from "./HubFile.ts";
import type { HubOptions } from "./HubOptions.ts";
import { listFiles } from "./listFiles.ts";
import { lockRepo } from "./lockRepo.ts";
import { type CachedModel, cachedName, type ModelCache } from "./ModelCache.ts";
import { type ModelName, repoOf, writeModelName } from "./ModelName.ts";
import { type PartDisk, PartFile, partPath, realDisk } from "./PartFile.ts";
import type { PullProgress } from "./PullProgress.ts";
import { sizeText } from "./sizeText.ts";

export interface PullDeps {
  readonly options: HubOptions;
  readonly cache: ModelCache;
  readonly progress: PullProgress;
  readonly disk?: PartDisk;
  /** Of the folder's disk, in bytes. */
  readonly freeBytes?: (folder: string) => number;
}

export interface Pulled {
  readonly model: CachedModel;
  /** False where all of it was there. */
  readonly fetched: boolean;
}

/** The model as it is in the cache, without asking the hub; undefined where it is not there. */
export function findModel(cache: ModelCache, name: ModelName): CachedModel | undefined {
  const here = cache.ofRepo(name).filter(({ isDefault }) => name.quant !== null || isDefault);
  try {
    const { files } = chooseModel(
      here.flatMap((model) => model.files),
      name,
    );
    return here.find((model) => model.files[0] === files[0]);
  } catch (error) {
    if (error instanceof HubError) return undefined;
    throw error;
  }
}

/** Throws HubError. */
export async function pullModel(name: ModelName, deps: PullDeps): Promise<Pulled> {
  try {
    return await pull(name, deps);
  } catch (error) {
    throw diskError(error, deps.cache.home);
  }
}

async function pull(name: ModelName, deps: PullDeps): Promise<Pulled> {
  const { options, cache, progress } = deps;
  const files = await listFiles(options, name, progress.note);
  const chosen = chooseModel(files, name);
  const here = same(cache, name, chosen);
  if (here !== undefined) return { model: here, fetched: false };
  const waiting = (): void =>
    progress.note(`Another warmturn is fetching from ${repoOf(name)}; waiting until it is done`);
  using _lock = await lockRepo(cache.home, name, options.wait, waiting);
  const fetched = same(cache, name, chosen);
  if (fetched !== undefined) return { model: fetched, fetched: false };
  try {
    await gather(name, chosen, deps);
    return { model: await cache.writeNote(name, chosen, isDefault(files, chosen)), fetched: true };
  } finally {
    cache.tidy(name);
  }
}

/** What the cache has, if the hub has no other bytes for it. */
function same(cache: ModelCache, name: ModelName, chosen: ModelFiles): CachedModel | undefined {
  const hashes = (model: ModelFiles): string =>
    model.files.map((file) => `${file.path} ${file.digest.hex}`).join();
  return cache.ofRepo(name).find((model) => hashes(model) === hashes(chosen));
}

async function gather(name: ModelName, chosen: ModelFiles, deps: PullDeps): Promise<void> {
  const { options, cache, progress } = deps;
  const folder = cache.partsFolder(name);
  dropStale(cache, name, chosen);
  await mkdir(folder, { recursive: true });
  for (const file of chosen.files) await takeBack(cache, name, file);
  checkRoom(name, chosen, deps);
  const model = writeModelName({ ...name, quant: chosen.quant });
  await using parts = new AsyncDisposableStack();
  const whole: (readonly [PartFile, HubFile])[] = [];
  for (const file of chosen.files) {
    const part = parts.use(await PartFile.open(folder, file, model, deps.disk ?? realDisk));
    try {
      await fetchFile({ options, name, file, progress }, part);
    } catch (error) {
      const mapped = diskError(error, cache.home);
      // A part on a full disk is removed: others need the room, and it could not be finished.
      if (mapped instanceof HubError && mapped.code === "disk-full") part.discard();
      throw mapped;
    }
    whole.push([part, file]);
  }
  for (const [part, file] of whole) await part.moveTo(cache.filePath(name, file));
}

/** Parts of what these files were before the repository changed. */
function dropStale(cache: ModelCache, name: ModelName, chosen: ModelFiles): void {
  for (const left of cache.unfinishedOf(name)) {
    const file = chosen.files.find(({ path }) => path === left.path);
    if (file !== undefined && partPath(cache.partsFolder(name), file) !== left.part) {
      cache.removeUnfinished(name, left);
    }
  }
}

/** A file in its place without the model's note: a run ended between the two. It is checked like a part. */
async function takeBack(cache: ModelCache, name: ModelName, file: HubFile): Promise<void> {
  const path = cache.filePath(name, file);
  const part = partPath(cache.partsFolder(name), file);
  const noted = cache.ofRepo(name).some((model) => model.files.some((one) => one.path === file.path));
  const left = statSync(path, { throwIfNoEntry: false });
  if (!noted && left?.size === file.size && statSync(part, { throwIfNoEntry: false }) === undefined) {
    await rename(path, part);
  }
}

function checkRoom(name: ModelName, chosen: ModelFiles, { cache, freeBytes = bytesFree }: PullDeps): void {
  const folder = cache.partsFolder(name);
  const missing = chosen.files.reduce((sum, file) => {
    return sum + file.size - (statSync(partPath(folder, file), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
  const free = freeBytes(folder);
  if (missing <= free) return;
  const model = writeModelName({ ...name, quant: chosen.quant });
  throw diskFull(cache.home, `: ${sizeText(missing - free)} are lacking for ${model}`);
}

function bytesFree(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** For an error: what of the repository is here. "" for nothing. */
export function namesHere(cache: ModelCache, name: ModelName): string {
  return cache.ofRepo(name).map(cachedName).join(", ");
}
