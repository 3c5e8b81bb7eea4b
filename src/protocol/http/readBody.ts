/**
 * The raw text of a request's body: its bytes are counted as they come, and too many are refused early. JSON comes as
 * JSON: any page can post the types of HTML's forms to this machine without asking first.
 */
import { AppError } from "../../base/AppError.ts";

/** No type at all is taken for JSON, too: no form sends that, and a page that does still names its origin. */
const TYPES = /^(application\/(json|[\w.-]+\+json|octet-stream)|text\/json)$/;
const CURLS_OWN = "application/x-www-form-urlencoded";

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
    const whose = type === CURLS_OWN ? " (curl's own where it is told none)" : "";
    throw new AppError(
      "unsupported-media",
      `content-type "${type}"${whose} is not taken; send the body with the header "content-type: application/json".`,
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
