/** What can be said of a model file before llama.cpp opens it, each in one sentence. */
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { FfiError } from "./FfiError.ts";
import { HeaderTooShort, headerProblem, tensorNames } from "./ggufHeader.ts";

/** Magic, version, and the counts of tensors and metadata. */
const HEADER_BYTES = 24;
const VERSIONS = [2, 3];
/** Metadata is read in steps of this size, each four times the last. */
const FIRST_BYTES = 4 << 20;
const METADATA_BYTES_MAX = 1 << 30;

/** @throws FfiError("model-file") for a file that is missing, unreadable, no whole GGUF, or one that would abort. */
export function checkModelFile(path: string): void {
  let file: number;
  try {
    if (!statSync(path).isFile()) throw new FfiError("model-file", `${path} is not a file.`);
    file = openSync(path, "r");
  } catch (error) {
    if (error instanceof FfiError) throw error;
    const code = (error as { code?: string }).code;
    const reason =
      code === "ENOENT" ? "there is no such file" : `it cannot be read (${code ?? String(error)})`;
    throw new FfiError("model-file", `Cannot load ${path}: ${reason}.`);
  }
  try {
    const problem = problemOf(file);
    if (problem) throw new FfiError("model-file", `Cannot load ${path}: ${problem}.`);
  } finally {
    closeSync(file);
  }
}

function problemOf(file: number): string | null {
  const size = fstatSync(file).size;
  const header = readStart(file, HEADER_BYTES);
  if (header.length < 4 || header.toString("latin1", 0, 4) !== "GGUF") return "it is not a GGUF model file";
  if (header.length < HEADER_BYTES) return "it is a truncated GGUF file";
  const version = header.readUInt32LE(4);
  if (!VERSIONS.includes(version)) {
    return `it is GGUF version ${version}; versions ${VERSIONS.join(" and ")} are supported`;
  }
  for (let bytes = FIRST_BYTES; ; bytes *= 4) {
    try {
      return headerProblem(readStart(file, Math.min(bytes, size)));
    } catch (error) {
      if (!(error instanceof HeaderTooShort)) throw error;
      if (bytes >= size) return "it is a truncated or damaged GGUF file: its metadata goes on behind its end";
      if (bytes >= METADATA_BYTES_MAX) return "its metadata is larger than 1 GiB";
    }
  }
}

/**
 * Names of a model's tensors, those of all its parts where it lies in several files.
 * @throws HeaderTooShort, or what the file system throws: the model has been loaded from these files.
 */
export function modelTensors(path: string): ReadonlySet<string> {
  const [, head, count] = /^(.*)-\d{5}-of-(\d{5})\.gguf$/.exec(path) ?? [];
  const parts =
    head === undefined || count === undefined
      ? [path]
      : Array.from(
          { length: Number(count) },
          (_, part) => `${head}-${String(part + 1).padStart(5, "0")}-of-${count}.gguf`,
        );
  return new Set(parts.flatMap(namesIn));
}

function namesIn(path: string): string[] {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    for (let bytes = FIRST_BYTES; ; bytes *= 4) {
      try {
        return tensorNames(readStart(file, Math.min(bytes, size)));
      } catch (error) {
        if (!(error instanceof HeaderTooShort) || bytes >= size) throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}

function readStart(file: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  let read = 0;
  while (read < bytes) {
    const got = readSync(file, buffer, read, bytes - read, read);
    if (got === 0) break;
    read += got;
  }
  return buffer.subarray(0, read);
}
