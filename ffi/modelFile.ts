/** What can be said of a model file before llama.cpp opens it, each in one sentence. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { FfiError } from "./FfiError.ts";

/** Magic, version, and the counts of tensors and metadata. */
const HEADER_BYTES = 24;
const VERSIONS = [2, 3];

/** @throws FfiError("model-file") for a file that is missing, unreadable, or no GGUF of a known version. */
export function checkModelFile(path: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  let read = 0;
  try {
    if (!statSync(path).isFile()) throw new FfiError("model-file", `${path} is not a file.`);
    const file = openSync(path, "r");
    try {
      read = readSync(file, header, 0, HEADER_BYTES, 0);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof FfiError) throw error;
    const code = (error as { code?: string }).code;
    const reason =
      code === "ENOENT" ? "there is no such file" : `it cannot be read (${code ?? String(error)})`;
    throw new FfiError("model-file", `Cannot load ${path}: ${reason}.`);
  }
  if (read < 4 || header.toString("latin1", 0, 4) !== "GGUF") {
    throw new FfiError("model-file", `${path} is not a GGUF model file.`);
  }
  if (read < HEADER_BYTES) throw new FfiError("model-file", `${path} is a truncated GGUF file.`);
  const version = header.readUInt32LE(4);
  if (!VERSIONS.includes(version)) {
    throw new FfiError(
      "model-file",
      `${path} is GGUF version ${version}; versions ${VERSIONS.join(" and ")} are supported.`,
    );
  }
}
