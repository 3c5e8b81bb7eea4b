/**
 * All bytes of one file into its part: from where the last run stopped, over as many connections as it takes,
 * and checked against the size and hash that the hub's list names.
 */
import { HubError } from "./HubError.ts";
import type { HubFile } from "./HubFile.ts";
import type { HubOptions } from "./HubOptions.ts";
import { type HubAnswer, hubRequest } from "./hubRequest.ts";
import { fileUrl } from "./listFiles.ts";
import { type ModelName, repoOf } from "./ModelName.ts";
import type { PartFile } from "./PartFile.ts";
import type { PullProgress } from "./PullProgress.ts";
import { retrying } from "./retrying.ts";

export interface FileRequest {
  readonly options: HubOptions;
  readonly name: ModelName;
  readonly file: HubFile;
  readonly progress: PullProgress;
}

/** Throws HubError. A part that cannot become the file is gone then; one that broke off stays. */
export async function fetchFile(request: FileRequest, part: PartFile): Promise<void> {
  const { file, progress } = request;
  progress.begin(file.path, part.bytes, file.size);
  // What an earlier run left may be damaged: then once more from the first byte.
  for (let resumed = part.bytes > 0; ; resumed = false) {
    await fill(request, part);
    if (part.digest() === file.digest.hex) break;
    if (!resumed) throw wrongHash(request, part);
    progress.note(`What an earlier run left of ${file.path} is damaged; fetching all of it again`);
    await part.restart();
  }
  progress.end();
}

async function fill(request: FileRequest, part: PartFile): Promise<void> {
  const { options, file, progress } = request;
  await retrying(
    options,
    async () => {
      if (part.bytes < file.size) await oneConnection(request, part);
    },
    progress.note,
    () => part.bytes,
  );
  // Of a file that was whole before, or is empty.
  if (file.size === 0 || !part.looksRight) throw notGguf(request, part);
}

async function oneConnection(request: FileRequest, part: PartFile): Promise<void> {
  const { options, name, file, progress } = request;
  const from = part.bytes;
  const what = `${repoOf(name)}/${file.path}`;
  let answer: HubAnswer;
  try {
    answer = await hubRequest(options, fileUrl(options, name, file), rangeHeaders(part), what);
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "bad-range") throw error;
    await part.restart();
    throw new HubError("broken", error.message);
  }
  await takeUp(request, part, answer);
  for await (const piece of answer.body()) {
    if (part.bytes + piece.byteLength > file.size) throw wrongSize(request, part, "more");
    await part.append(piece);
    if (!part.looksRight) throw notGguf(request, part);
    progress.advance(part.bytes);
  }
  if (part.bytes < file.size) {
    const words = `the answer ended at ${part.bytes - from} bytes of ${file.size - from}`;
    throw new HubError("broken", `${what}: ${words}; run the same command again to go on from there.`);
  }
}

/** A tag that the server made for these very bytes; with one that is only alike (`W/`) it may not be asked. */
function rangeHeaders(part: PartFile): Readonly<Record<string, string>> {
  if (part.bytes === 0) return {};
  const range = { range: `bytes=${part.bytes}-` };
  return part.etag?.startsWith('"') ? { ...range, "if-range": part.etag } : range;
}

/** Goes on behind what is there if the answer does; begins again where it brings the file from its start. */
async function takeUp(request: FileRequest, part: PartFile, { response, cancel }: HubAnswer): Promise<void> {
  const { file, progress } = request;
  if (response.status === 206) {
    const [, from, total] =
      /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get("content-range") ?? "") ?? [];
    if (total !== undefined && total !== "*" && Number(total) !== file.size) {
      cancel();
      throw wrongSize(request, part, total);
    }
    if (Number(from) !== part.bytes) {
      cancel();
      await part.restart();
      throw new HubError("broken", `${file.path} came from another place than was asked for; run it again.`);
    }
  } else {
    const length = response.headers.get("content-length");
    if (length !== null && !response.headers.has("content-encoding") && Number(length) !== file.size) {
      cancel();
      throw wrongSize(request, part, length);
    }
    if (part.bytes > 0) {
      progress.note(`${file.path} cannot be taken up in the middle; fetching all of it again`);
      await part.restart();
    }
  }
  part.noteSource(response.headers.get("etag"));
}

function wrongSize({ name, file }: FileRequest, part: PartFile, got: string): HubError {
  part.discard();
  return new HubError(
    "checksum",
    `${repoOf(name)}/${file.path} comes with ${got} bytes where the hub's list says ${file.size}, so nothing of it was kept; try again, and if it stays so another repository.`,
  );
}

function wrongHash({ name, file }: FileRequest, part: PartFile): HubError {
  part.discard();
  const kind = file.digest.kind === "sha256" ? "SHA-256" : "Git hash";
  return new HubError(
    "checksum",
    `${repoOf(name)}/${file.path} does not have the ${kind} that the hub's list says (${file.digest.hex.slice(0, 12)}…), so nothing of it was kept; try again, and if it stays so another repository.`,
  );
}

function notGguf({ name, file }: FileRequest, part: PartFile): HubError {
  part.discard();
  return new HubError(
    "not-gguf",
    `${repoOf(name)}/${file.path} is no GGUF file whatever its name says, so nothing of it was kept; take another file or repository.`,
  );
}
