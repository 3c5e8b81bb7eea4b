/**
 * Files that this program unpacks and then loads or compiles. What is loaded is what was unpacked: the folder belongs to
 * the user (or to root) and nobody else can write there, and a file that is there already has the same bytes. Two
 * processes at once never see half a file: each is written under a temporary name, then renamed.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryCache } from "./cacheFolder.ts";
import { FfiError } from "./FfiError.ts";

/** One file of `keepFiles`; returns its path. */
export function keepFile(folder: string, name: string, bytes: Uint8Array): string {
  return join(keepFiles(folder, [[name, bytes]]), name);
}

/**
 * Keeps files by name in `folder`, or where that cannot be, in the user's own folder below the system's temporary one:
 * all of them in the same. Returns the folder. @throws FfiError("cache") where neither can be.
 */
export function keepFiles(folder: string, files: readonly (readonly [string, Uint8Array])[]): string {
  const problems: string[] = [];
  for (const place of [folder, temporaryCache()]) {
    try {
      makeOwn(place);
      for (const [name, bytes] of files) keepIn(place, name, bytes);
      return place;
    } catch (error) {
      problems.push(`${place}: ${reasonOf(error)}`);
    }
  }
  throw new FfiError(
    "cache",
    `There is no folder to unpack files in (${problems.join("; ")}); name one of your own with WARMTURN_HOME.`,
  );
}

function makeOwn(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  // The folder itself, however one comes to it: a link that somebody else planted leads to their files.
  if (!stats.isDirectory()) throw new Error("it is no folder");
  checkOwner(stats);
}

function keepIn(folder: string, name: string, bytes: Uint8Array): void {
  const path = join(folder, name);
  if (holds(path, bytes)) return;
  const temporary = join(folder, `.${name}.${process.pid}.${Bun.nanoseconds()}.tmp`);
  try {
    writeFileSync(temporary, bytes, { mode: 0o700, flag: "wx" });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function checkOwner({ uid, mode }: Stats): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  if (uid !== own && uid !== 0) throw new Error("it belongs to another user");
  if ((mode & 0o022) !== 0) throw new Error("others can write to it");
}

/** A regular file of the user's with these bytes, and not a link to one. */
function holds(path: string, bytes: Uint8Array): boolean {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return false;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size !== bytes.byteLength) return false;
    checkOwner(stats);
    return readFileSync(file).equals(bytes);
  } catch {
    return false;
  } finally {
    closeSync(file);
  }
}

/** `mkdir` names a path that is longer than the sentence. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  if (code === "EROFS") return "it is read-only";
  if (code === "ENOSPC") return "the disk is full";
  if (code === "EACCES" || code === "EPERM") return "it cannot be written by this user";
  return code ?? message ?? String(error);
}
