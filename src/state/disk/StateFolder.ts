/**
 * A folder of state files that several servers may share. A file is written under another name, synced and renamed: a
 * reader sees the whole of it or none. What is damaged is moved aside. Whatever the file system refuses is said once,
 * and writing waits a while; nothing here is thrown at who asks.
 */
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  decodeHead,
  encodeHead,
  type FileKind,
  fileBytes,
  HEAD_BYTES_MAX,
  headBytes,
  payloadOf,
  type StateHead,
} from "./stateFile.ts";

export interface StoredFile {
  readonly name: string;
  readonly head: StateHead;
  /** Milliseconds since 1970 of its last use. */
  readonly usedMs: number;
}

interface ForeignFile {
  readonly path: string;
  readonly bytes: number;
  readonly usedMs: number;
}

export interface FolderOptions {
  readonly path: string;
  readonly fingerprint: bigint;
  /** Told once of each trouble. */
  readonly warn: (sentence: string) => void;
  /** Milliseconds, for the pause after a failure. */
  readonly now: () => number;
}

/** After a write failed: the disk may have room again, the folder may be back. */
const PAUSE_MS = 60_000;
/** A temporary file this old belongs to nobody. */
const TEMPORARY_MS_MAX = 3_600_000;
/** Damaged files that are left for who wants to look. */
const DAMAGED_MAX = 8;
/** Most heads fit. */
const FIRST_READ_BYTES = 8192;
const EXTENSIONS: Readonly<Record<FileKind, string>> = { rows: ".rows", partial: ".part" };

export class StateFolder {
  readonly path: string;
  readonly #options: FolderOptions;
  readonly #damagedPath: string;
  /** Files that were moved aside. */
  damaged = 0;
  /** Of states of other models and settings. */
  foreignBytes = 0;
  #foreign: ForeignFile[] = [];
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #warned = false;

  constructor(options: FolderOptions) {
    this.#options = options;
    this.path = join(options.path, options.fingerprint.toString(16).padStart(16, "0"));
    this.#damagedPath = join(options.path, "damaged");
  }

  get isPaused(): boolean {
    return this.#options.now() < this.#pausedUntil;
  }

  /** All names, and the heads of those that are not known, oldest use first. Payloads are not read. */
  list(isKnown: (name: string) => boolean): { found: readonly StoredFile[]; names: ReadonlySet<string> } {
    this.#attempt(() => mkdirSync(this.path, { recursive: true, mode: 0o700 }));
    this.#listForeign();
    const found: StoredFile[] = [];
    const names = new Set<string>();
    for (const name of this.#quietly(() => readdirSync(this.path)) ?? []) {
      if (name.startsWith(".")) this.#dropStale(name);
      if (!isStateName(name)) continue;
      names.add(name);
      const file = isKnown(name) ? null : this.#readHead(name);
      if (file !== null) found.push(file);
    }
    return { found: found.sort((a, b) => a.usedMs - b.usedMs), names };
  }

  /** Of other fingerprints, the least recently used last. */
  #listForeign(): void {
    const own = basename(this.path);
    const folders = this.#quietly(() => readdirSync(this.#options.path)) ?? [];
    const found: ForeignFile[] = [];
    for (const folder of folders.filter((name) => name !== own && /^[0-9a-f]{16}$/.test(name))) {
      const at = join(this.#options.path, folder);
      for (const name of (this.#quietly(() => readdirSync(at)) ?? []).filter(isStateName)) {
        const path = join(at, name);
        this.#quietly(() => {
          const { size, mtimeMs } = statSync(path);
          found.push({ path, bytes: size, usedMs: mtimeMs });
        });
      }
    }
    this.#foreign = found.sort((a, b) => b.usedMs - a.usedMs);
    this.foreignBytes = found.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Removes the least recently used file of another fingerprint; false where there is none. */
  dropForeign(): boolean {
    const last = this.#foreign.pop();
    if (last === undefined) return false;
    this.foreignBytes -= last.bytes;
    this.#quietly(() => rmSync(last.path, { force: true }));
    return true;
  }

  #readHead(name: string): StoredFile | null {
    return this.#quietly(() => {
      const path = join(this.path, name);
      const { size, mtimeMs } = statSync(path);
      const head = decodeHead(readStart(path, size));
      const isOwn = head !== null && head.fingerprint === this.#options.fingerprint && nameOf(head) === name;
      const whole = head !== null && size === fileBytes(head);
      if (isOwn && whole) return { name, head, usedMs: mtimeMs };
      this.#moveAside(name);
      return null;
    });
  }

  /** False where it was not written. */
  async write(head: StateHead, payload: Uint8Array): Promise<boolean> {
    if (this.isPaused) return false;
    const name = nameOf(head);
    const temporary = join(this.path, `.${Bun.randomUUIDv7()}-${name}`);
    try {
      const start = encodeHead(head, payload);
      const file = await open(temporary, "wx", 0o600);
      try {
        await writeAll(file, start);
        await writeAll(file, payload);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, join(this.path, name));
      return true;
    } catch (error) {
      this.#fail(error);
      await rm(temporary, { force: true }).catch(() => {});
      return false;
    }
  }

  /** Renames are on the disk when this has returned; false where they may not be. */
  async sync(): Promise<boolean> {
    try {
      const folder = await open(this.path, "r");
      try {
        await folder.sync();
      } finally {
        await folder.close();
      }
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  /** The payload of exactly this piece, or null; a file that is not what it was is moved aside. */
  read(head: StateHead): Uint8Array | null {
    const name = nameOf(head);
    const path = join(this.path, name);
    const file = this.#quietly(() => readFileSync(path));
    if (file === null) return null;
    const found = decodeHead(file);
    const payload = found !== null && isSame(found, head) ? payloadOf(file, found) : null;
    if (payload === null) this.#moveAside(name);
    else this.#quietly(() => utimesSync(path, new Date(), new Date()));
    return payload;
  }

  remove(head: StateHead): void {
    this.#quietly(() => rmSync(join(this.path, nameOf(head)), { force: true }));
  }

  #moveAside(name: string): void {
    this.damaged++;
    const path = join(this.path, name);
    const isMoved = this.#quietly(() => {
      mkdirSync(this.#damagedPath, { recursive: true, mode: 0o700 });
      renameSync(path, join(this.#damagedPath, name));
      const kept = readdirSync(this.#damagedPath)
        .map((one) => ({
          path: join(this.#damagedPath, one),
          at: statSync(join(this.#damagedPath, one)).mtimeMs,
        }))
        .sort((a, b) => b.at - a.at);
      for (const old of kept.slice(DAMAGED_MAX)) rmSync(old.path, { force: true });
      return true;
    });
    if (isMoved === null) this.#quietly(() => rmSync(path, { force: true }));
  }

  #dropStale(name: string): void {
    const path = join(this.path, name);
    this.#quietly(() => {
      if (Date.now() - statSync(path).mtimeMs > TEMPORARY_MS_MAX) rmSync(path, { force: true });
    });
  }

  #attempt(call: () => unknown): void {
    try {
      call();
    } catch (error) {
      this.#fail(error);
    }
  }

  #quietly<T>(call: () => T): T | null {
    try {
      return call();
    } catch {
      return null;
    }
  }

  #fail(error: unknown): void {
    this.#pausedUntil = this.#options.now() + PAUSE_MS;
    if (this.#warned) return;
    this.#warned = true;
    const why = error instanceof Error ? error.message : String(error);
    this.#options.warn(
      `Kept states cannot be written to ${this.path} (${why}): they are lost with the process, until it can be written again.`,
    );
  }
}

function isStateName(name: string): boolean {
  return !name.startsWith(".") && Object.values(EXTENSIONS).some((extension) => name.endsWith(extension));
}

export function nameOf({ key, kind }: Pick<StateHead, "key" | "kind">): string {
  return `${key.toString(16).padStart(16, "0")}${EXTENSIONS[kind]}`;
}

function readStart(path: string, size: number): Uint8Array {
  const file = openSync(path, "r");
  try {
    const first = new Uint8Array(Math.min(size, FIRST_READ_BYTES));
    readSync(file, first, 0, first.length, 0);
    const wanted = headBytes(first);
    if (wanted === null || wanted <= first.length || wanted > Math.min(size, HEAD_BYTES_MAX)) return first;
    const all = new Uint8Array(wanted);
    readSync(file, all, 0, wanted, 0);
    return all;
  } finally {
    closeSync(file);
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, Math.min(bytes.length - at, 2 ** 30));
    at += bytesWritten;
  }
}

/** The same piece, to the token. */
function isSame(a: StateHead, b: StateHead): boolean {
  return (
    a.kind === b.kind &&
    a.fingerprint === b.fingerprint &&
    a.tenant === b.tenant &&
    a.key === b.key &&
    a.before === b.before &&
    a.from === b.from &&
    a.payloadBytes === b.payloadBytes &&
    a.tokens.length === b.tokens.length &&
    a.tokens.every((token, i) => token === b.tokens[i])
  );
}
