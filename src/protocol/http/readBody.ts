/** The raw text of a request's body: its bytes are counted as they come, and too many are refused early. */
import { AppError } from "../../base/AppError.ts";

/** curl's default and no type at all are taken for JSON, as clients mean it. */
const TYPES = /^(application\/(json|[\w.-]+\+json|x-www-form-urlencoded|octet-stream)|text\/(plain|json))$/;

export async function readBody(request: Request, bytesMax: number): Promise<string> {
  checkHeaders(request, bytesMax);
  if (request.body === null) return "";
  const bytes = await readBytes(request.body as ReadableStream<Uint8Array>, bytesMax);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new AppError("invalid-request", "The body is not valid UTF-8.");
  }
}

async function readBytes(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      bytes += part.byteLength;
      // Leaving the loop cancels the body.
      if (bytes > bytesMax) throw tooLarge(`more than ${bytesMax}`, bytesMax);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("invalid-request", "The connection was closed before the body was whole.");
  }
  return Buffer.concat(parts);
}

function checkHeaders(request: Request, bytesMax: number): void {
  const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (type !== "" && !TYPES.test(type)) {
    throw new AppError(
      "unsupported-media",
      `content-type "${type}" is not understood; send application/json.`,
    );
  }
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity") {
    throw new AppError(
      "unsupported-media",
      `content-encoding "${encoding}" is not understood; send it unencoded.`,
    );
  }
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > bytesMax) throw tooLarge(String(length), bytesMax);
}

function tooLarge(bytes: string, bytesMax: number): AppError {
  return new AppError("body-too-large", `The body holds ${bytes} bytes; at most ${bytesMax} are allowed.`);
}
