/**
 * A hash of every byte of a model file: what is kept on disk must never be taken for another model's, and the ends of a
 * file do not tell two fine-tunes apart. It is remembered by path, size and time of change, since a large file takes
 * its time.
 */
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

/** Larger files are hashed beside the engine, which starts meanwhile. */
export const AT_ONCE_BYTES_MAX = 2 ** 31;
const BLOCK_BYTES = 2 ** 24;

/** 16 hexadecimal digits; a promise of them where it takes long. */
export function modelHash(path: string, home: string): string | Promise<string> {
  const name = nameOf(path);
  const known = remembered(home, name);
  if (known !== undefined) return known;
  const keep = (hash: string): string => {
    remember(home, name, hash);
    return hash;
  };
  return statSync(path).size <= AT_ONCE_BYTES_MAX ? keep(hashNow(path)) : hashBeside(path).then(keep);
}

function nameOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return Bun.hash.xxHash64(`${path}\0${size}\0${mtimeMs}`).toString(16).padStart(16, "0");
}

function hashNow(path: string): string {
  const file = openSync(path, "r");
  try {
    const block = new Uint8Array(Math.min(BLOCK_BYTES, Math.max(1, fstatSync(file).size)));
    let hash = 0n;
    for (let at = 0; ; ) {
      const read = readSync(file, block, 0, block.length, at);
      if (read === 0) return digits(hash);
      hash = Bun.hash.xxHash3(block.subarray(0, read), hash);
      at += read;
    }
  } finally {
    closeSync(file);
  }
}

/** The same, a block at a time. */
async function hashBeside(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const block = new Uint8Array(BLOCK_BYTES);
    let hash = 0n;
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(block, 0, block.length, at);
      if (bytesRead === 0) return digits(hash);
      hash = Bun.hash.xxHash3(block.subarray(0, bytesRead), hash);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

function digits(hash: bigint): string {
  return hash.toString(16).padStart(16, "0");
}

function remembered(home: string, name: string): string | undefined {
  try {
    const text = readFileSync(join(home, "model-hash", name), "utf8");
    return /^[0-9a-f]{16}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function remember(home: string, name: string, hash: string): void {
  try {
    const folder = join(home, "model-hash");
    mkdirSync(folder, { recursive: true });
    const temporary = join(folder, `.${process.pid}.${name}`);
    writeFileSync(temporary, hash);
    renameSync(temporary, join(folder, name));
  } catch {
    // A read-only home costs the hash at the next start, nothing else.
  }
}
