/**
 * The bytes of a file that is being fetched, under the hash of what it is to become: what a broken run left is
 * taken up again, and never for another file. It gets its name only when it is whole and checked.
 */
import { createReadStream, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fields, type HubFile } from "./HubFile.ts";

/** Beside the bytes: whose they are, for listing and removing, and the server's tag for `if-range`. */
export interface PartNote {
  /** `hf:owner/repo:quant`. */
  readonly model: string;
  readonly path: string;
  readonly size: number;
  readonly etag: string | null;
}

/** What of the file system a test can let fail. */
export interface PartDisk {
  readonly append: (handle: FileHandle, bytes: Uint8Array) => Promise<void>;
}

export const realDisk: PartDisk = {
  append: async (handle, bytes) => {
    for (let at = 0; at < bytes.byteLength; ) {
      at += (await handle.write(bytes, at, bytes.byteLength - at)).bytesWritten;
    }
  },
};

const MAGIC = "GGUF";

export class PartFile implements AsyncDisposable {
  readonly #path: string;
  readonly #file: HubFile;
  readonly #model: string;
  readonly #disk: PartDisk;
  readonly #handle: FileHandle;
  #hash: Bun.CryptoHasher;
  #bytes = 0;
  #etag: string | null;
  #start = Buffer.alloc(0);

  private constructor(
    path: string,
    file: HubFile,
    model: string,
    disk: PartDisk,
    handle: FileHandle,
    etag: string | null,
  ) {
    this.#path = path;
    this.#file = file;
    this.#model = model;
    this.#disk = disk;
    this.#handle = handle;
    this.#etag = etag;
    this.#hash = hasher(file);
  }

  /** Reads what is there already, to hash it. `folder` holds all parts of a repository. */
  static async open(folder: string, file: HubFile, model: string, disk: PartDisk): Promise<PartFile> {
    mkdirSync(folder, { recursive: true });
    const path = partPath(folder, file);
    const handle = await open(path, "a+");
    const part = new PartFile(path, file, model, disk, handle, readPartNote(notePath(path))?.etag ?? null);
    for await (const piece of createReadStream(path)) part.#count(piece);
    if (part.#bytes > file.size) await part.restart();
    return part;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get etag(): string | null {
    return this.#etag;
  }

  /** False as soon as the first four bytes say that this is no model file. */
  get looksRight(): boolean {
    return MAGIC.startsWith(this.#start.toString("latin1"));
  }

  /** Before bytes of `etag` follow. */
  noteSource(etag: string | null): void {
    this.#etag = etag;
    const note: PartNote = { model: this.#model, path: this.#file.path, size: this.#file.size, etag };
    writeFileSync(notePath(this.#path), JSON.stringify(note));
  }

  async append(bytes: Uint8Array): Promise<void> {
    await this.#disk.append(this.#handle, bytes);
    this.#count(bytes);
  }

  /** Everything again from the first byte. */
  async restart(): Promise<void> {
    await this.#handle.truncate(0);
    this.#hash = hasher(this.#file);
    this.#bytes = 0;
    this.#start = Buffer.alloc(0);
  }

  /** Of a part that has all bytes; it cannot be added to afterwards. */
  digest(): string {
    return this.#hash.digest("hex");
  }

  /** The bytes are on the disk when this ends, under `target`. */
  async moveTo(target: string): Promise<void> {
    await this.#handle.sync();
    mkdirSync(dirname(target), { recursive: true });
    await rename(this.#path, target);
    rmSync(notePath(this.#path), { force: true });
  }

  discard(): void {
    rmSync(this.#path, { force: true });
    rmSync(notePath(this.#path), { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  #count(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#bytes += bytes.byteLength;
    const missing = MAGIC.length - this.#start.length;
    if (missing > 0) this.#start = Buffer.concat([this.#start, bytes.subarray(0, missing)]);
  }
}

/** Where the bytes of `file` are gathered. */
export function partPath(folder: string, file: HubFile): string {
  return join(folder, `${file.digest.hex}.part`);
}

/** Of `….part`. */
export function notePath(part: string): string {
  return part.replace(/\.part$/, ".json");
}

/** null where there is none, or none that can be read. */
export function readPartNote(path: string): PartNote | null {
  try {
    const { model, path: file, size, etag } = fields(JSON.parse(readFileSync(path, "utf8")));
    if (typeof model !== "string" || typeof file !== "string" || typeof size !== "number") return null;
    return { model, path: file, size, etag: typeof etag === "string" ? etag : null };
  } catch {
    return null;
  }
}

/** Git names a blob by the SHA-1 of its length and bytes. */
function hasher({ digest, size }: HubFile): Bun.CryptoHasher {
  if (digest.kind === "sha256") return new Bun.CryptoHasher("sha256");
  return new Bun.CryptoHasher("sha1").update(`blob ${size}\0`);
}
