/**
 * Where models lie: `models/OWNER/REPO/` in the cache folder, files under their own names (llama.cpp finds the
 * parts of a split one by them), and beside the first of each model a note. A model is there when its note is,
 * and the note is written last and removed first.
 */
import { type Dirent, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { ModelFiles } from "./chooseModel.ts";
import { fields, type HubFile, readHubFile } from "./HubFile.ts";
import { type ModelName, writeModelName } from "./ModelName.ts";
import { notePath, type PartNote, readPartNote } from "./PartFile.ts";

export interface CachedModel extends ModelFiles {
  /** With its quantisation. */
  readonly name: ModelName & { readonly quant: string };
  /** Taken where none is named. */
  readonly isDefault: boolean;
  readonly bytes: number;
  /** Of the first file; what llama.cpp is given. */
  readonly path: string;
}

/** What a broken run left. */
export interface UnfinishedFile extends PartNote {
  readonly part: string;
  /** So far. */
  readonly bytes: number;
}

const NOTE = ".gguf.json";
const PARTS = ".parts";

export class ModelCache {
  /** The cache folder itself. */
  readonly home: string;
  readonly #root: string;

  constructor(home: string) {
    this.home = home;
    this.#root = join(home, "models");
  }

  repoFolder(name: ModelName): string {
    return join(this.#root, name.owner, name.repo);
  }

  partsFolder(name: ModelName): string {
    return join(this.repoFolder(name), PARTS);
  }

  filePath(name: ModelName, file: HubFile): string {
    return join(this.repoFolder(name), ...file.path.split("/"));
  }

  /** By name. Those that lack a file are left out. */
  list(): readonly CachedModel[] {
    return this.#repos().flatMap((name) => this.ofRepo(name));
  }

  ofRepo(name: ModelName): readonly CachedModel[] {
    const folder = this.repoFolder(name);
    return filesBelow(folder)
      .filter((path) => path.endsWith(NOTE))
      .sort()
      .flatMap((path) => this.#read(name, path) ?? []);
  }

  unfinished(): readonly UnfinishedFile[] {
    return this.#repos().flatMap((name) => this.unfinishedOf(name));
  }

  unfinishedOf(name: ModelName): readonly UnfinishedFile[] {
    return filesBelow(this.partsFolder(name))
      .filter((part) => part.endsWith(".part"))
      .flatMap((part) => {
        const note = readPartNote(notePath(part));
        return note === null ? [] : [{ ...note, part, bytes: sizeOf(part) ?? 0 }];
      });
  }

  /** Its files are all in their places. */
  async writeNote(name: ModelName, model: ModelFiles, isDefault: boolean): Promise<CachedModel> {
    const path = this.#notePath(name, model);
    const files = model.files.map(({ path, size, digest }) => ({ path, size, digest }));
    const temporary = `${path}.${process.pid}.tmp`;
    try {
      writeFileSync(temporary, JSON.stringify({ quant: model.quant, isDefault, files }, null, 2));
      await rename(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
    return cached(name, model, isDefault, this.filePath(name, model.files[0]));
  }

  /** Nothing is left of it, nor of folders that it alone was in. */
  remove(model: CachedModel): void {
    rmSync(this.#notePath(model.name, model), { force: true });
    for (const file of model.files) rmSync(this.filePath(model.name, file), { force: true });
    for (const file of model.files) this.#removeEmpty(dirname(this.filePath(model.name, file)));
    this.tidy(model.name);
  }

  removeUnfinished(name: ModelName, { part }: UnfinishedFile): void {
    rmSync(part, { force: true });
    rmSync(notePath(part), { force: true });
    this.tidy(name);
  }

  /** Takes away folders in which nothing was left. */
  tidy(name: ModelName): void {
    this.#removeEmpty(this.partsFolder(name));
  }

  #notePath(name: ModelName, model: ModelFiles): string {
    return `${this.filePath(name, model.files[0])}.json`;
  }

  #repos(): readonly ModelName[] {
    return foldersIn(this.#root).flatMap((owner) =>
      foldersIn(join(this.#root, owner)).map((repo) => ({ owner, repo, quant: null })),
    );
  }

  #read(name: ModelName, path: string): CachedModel | undefined {
    try {
      const { quant, isDefault, files } = fields(JSON.parse(readFileSync(path, "utf8")));
      if (typeof quant !== "string" || !Array.isArray(files)) return undefined;
      const [first, ...rest] = files.flatMap((file) => readNoted(file) ?? []);
      if (first === undefined || rest.length + 1 !== files.length) return undefined;
      const model: ModelFiles = { quant, files: [first, ...rest] };
      const whole = model.files.every((file) => sizeOf(this.filePath(name, file)) === file.size);
      return whole ? cached(name, model, isDefault === true, this.filePath(name, first)) : undefined;
    } catch {
      return undefined;
    }
  }

  #removeEmpty(folder: string): void {
    for (let at = folder; !relative(this.#root, at).startsWith("..") && at !== this.#root; at = dirname(at)) {
      try {
        rmdirSync(at);
      } catch {
        return;
      }
    }
  }
}

function cached(name: ModelName, model: ModelFiles, isDefault: boolean, path: string): CachedModel {
  const bytes = model.files.reduce((sum, file) => sum + file.size, 0);
  return { ...model, name: { ...name, quant: model.quant }, isDefault, bytes, path };
}

/** The same checks as for the hub's own list. */
function readNoted(value: unknown): HubFile | undefined {
  const { path, size, digest } = fields(value);
  const { kind, hex } = fields(digest);
  return readHubFile(
    kind === "git"
      ? { type: "file", path, size, oid: hex }
      : { type: "file", path, size, lfs: { oid: hex, size } },
  );
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

function entries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function foldersIn(folder: string): readonly string[] {
  return entries(folder)
    .filter((entry) => entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(folder, entry.name))))
    .map((entry) => entry.name)
    .sort();
}

/** Of a link: whoever has little room moves a folder and leaves one behind. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function filesBelow(folder: string): readonly string[] {
  return entries(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** As it is typed, with its quantisation. */
export function cachedName(model: CachedModel): string {
  return writeModelName(model.name);
}
