/** Which files of a repository are meant by a name: one quantisation, all its parts, nothing else. */

import { HubError } from "./HubError.ts";
import type { HubFile } from "./HubFile.ts";
import { type ModelName, repoOf } from "./ModelName.ts";
import { quantOf, rankOf } from "./quant.ts";

/** One model of a repository. */
export interface ModelFiles {
  /** `Q4_K_M`; the path where it spells none. What stands behind the colon of its name. */
  readonly quant: string;
  /** In the order of their parts; llama.cpp is given the first and finds the others beside it. */
  readonly files: readonly [HubFile, ...HubFile[]];
}

interface Group {
  /** Path without part number and ending. */
  readonly stem: string;
  readonly quant: string | null;
  readonly partsExpected: number;
  readonly parts: Map<number, HubFile>;
}

const SPLIT = /^(.+)-(\d{5})-of-(\d{5})$/;
/** Files beside a model: pictures' projectors, calibration data, drafts (spelt small; `MTP-` is in models' names). */
const BESIDE = [/mmproj|imatrix/i, /(^|[-._])(mtp|eagle3|dflash|dspark)-/];
const LISTED_MAX = 40;

/** Throws HubError: `no-file`, naming those that are there, or `part-missing`. */
export function chooseModel(files: readonly HubFile[], name: ModelName): ModelFiles {
  const groups = groupsOf(files).sort(byPreference);
  if (groups.length === 0) {
    throw new HubError(
      "no-file",
      `${repoOf(name)} holds no GGUF model; look for a repository with "GGUF" in its name.`,
    );
  }
  const group = name.quant === null ? groups[0] : named(groups, name.quant);
  if (group === undefined) throw unknownQuant(groups, name);
  return whole(group, name);
}

/** Whether `model` is the one that is taken where no quantisation is named. */
export function isDefault(files: readonly HubFile[], model: ModelFiles): boolean {
  const [first] = groupsOf(files).sort(byPreference);
  return first !== undefined && [...first.parts.values()].includes(model.files[0]);
}

function groupsOf(files: readonly HubFile[]): Group[] {
  const groups = new Map<string, Group>();
  for (const file of files) {
    const base = fileName(file.path);
    if (!/\.gguf$/i.test(base) || BESIDE.some((pattern) => pattern.test(base))) continue;
    const path = file.path.slice(0, -".gguf".length);
    const [, stem, part, of] = SPLIT.exec(path) ?? [];
    const key = stem === undefined ? path : `${stem}-of-${of}`;
    const group = groups.get(key) ?? {
      stem: stem ?? path,
      quant: quantOf(stem ?? path),
      partsExpected: Number(of ?? 1),
      parts: new Map<number, HubFile>(),
    };
    group.parts.set(Number(part ?? 1), file);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Of two with the same quantisation, the one that lies higher, then the shorter name. */
function byPreference(a: Group, b: Group): number {
  const depth = (group: Group): number => group.stem.split("/").length;
  return (
    rankOf(a.quant) - rankOf(b.quant) ||
    depth(a) - depth(b) ||
    a.stem.length - b.stem.length ||
    (a.stem < b.stem ? -1 : 1)
  );
}

/** The quantisation itself, then without its maker's prefix, then a file's name, then any part of one. */
function named(groups: readonly Group[], quant: string): Group | undefined {
  const asked = quant.toLowerCase();
  const file = asked.replace(/\.gguf$/, "").replace(/-\d{5}-of-\d{5}$/, "");
  const inside = new RegExp(`(^|[-._/])${RegExp.escape(asked)}($|[-._/])`);
  const rules: readonly ((group: Group) => boolean)[] = [
    (group) => group.quant?.toLowerCase() === asked,
    (group) => group.quant?.toLowerCase() === `ud-${asked}`,
    (group) => group.stem.toLowerCase() === file || fileName(group.stem).toLowerCase() === file,
    (group) => inside.test(group.stem.toLowerCase()),
  ];
  for (const rule of rules) {
    const hit = groups.find(rule);
    if (hit !== undefined) return hit;
  }
  return undefined;
}

function whole(group: Group, name: ModelName): ModelFiles {
  const numbers = Array.from({ length: group.partsExpected }, (_, i) => i + 1);
  const missing = numbers.filter((number) => !group.parts.has(number));
  const files = numbers.flatMap((number) => group.parts.get(number) ?? []);
  const [first, ...rest] = files;
  if (missing.length > 0 || first === undefined) {
    throw new HubError(
      "part-missing",
      `${repoOf(name)} lacks part ${missing.slice(0, 8).join(", ")} of ${group.partsExpected} of ${group.stem}.gguf; take another quantisation or repository.`,
    );
  }
  return { quant: group.quant ?? `${group.stem}.gguf`, files: [first, ...rest] };
}

function unknownQuant(groups: readonly Group[], name: ModelName): HubError {
  const names = [...new Set(groups.map((group) => group.quant ?? `${group.stem}.gguf`))];
  const more = names.length > LISTED_MAX ? `, and ${names.length - LISTED_MAX} more` : "";
  return new HubError(
    "no-file",
    `${repoOf(name)} has no ${name.quant}; it has ${names.slice(0, LISTED_MAX).join(", ")}${more}.`,
  );
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
