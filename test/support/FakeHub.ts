/**
 * A hub on this machine: lists files, redirects twice to a second server of another origin, which serves ranges,
 * and does what a real one does on a bad day. Each fault is for one request, in the order they were given.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

export interface SeenRequest {
  readonly server: "hub" | "cdn";
  readonly url: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

export type Fault =
  /** For bytes: by the hub where it names its reason (`x-error-code`), else by where it sends on. */
  | { readonly kind: "status"; readonly status: number; readonly headers?: Record<string, string> }
  /** The connection is cut when so many bytes of this answer have come through (`received`). */
  | { readonly kind: "drop"; readonly at: number }
  /** Nothing more comes after so many bytes. */
  | { readonly kind: "hold"; readonly at: number }
  /** In so many pieces, each when the client has the one before (`received`). */
  | { readonly kind: "pieces"; readonly count: number }
  /** One byte is another one. */
  | { readonly kind: "wrong" }
  | { readonly kind: "whole" }
  | { readonly kind: "short" }
  | { readonly kind: "other-start" }
  | { readonly kind: "loop" };

const PAGE_FILES = 3;

export class FakeHub implements AsyncDisposable {
  readonly repo: string;
  readonly files = new Map<string, Buffer>();
  readonly seen: SeenRequest[] = [];
  /** For the list of files. */
  readonly listFaults: Fault[] = [];
  /** For the bytes. */
  readonly fileFaults: Fault[] = [];
  /** What must be sent for a list and for bytes; null is open to all. */
  token: string | null = null;
  etags = true;
  /** Called whenever a held answer has sent all it will. */
  onHold: () => void = () => {};
  readonly #held = new Set<ServerResponse>();
  /** What is still to be sent in pieces, and from when on. */
  #pieces: { readonly response: ServerResponse; readonly left: Buffer[]; at: number } | null = null;
  #drop: { readonly at: number; readonly response: ServerResponse } | null = null;
  readonly #hub: Server;
  readonly #cdn: Server;
  endpoint = "";
  #cdnUrl = "";

  private constructor(repo: string) {
    this.repo = repo;
    this.#hub = createServer((request, response) => this.#answerHub(request, response));
    this.#cdn = createServer((request, response) => this.#answerCdn(request, response));
  }

  static async start(repo = "owner/Model-GGUF"): Promise<FakeHub> {
    const hub = new FakeHub(repo);
    hub.endpoint = await listening(hub.#hub);
    hub.#cdnUrl = await listening(hub.#cdn);
    return hub;
  }

  /** Nobody listens there any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.#hub, this.#cdn]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  /** A file that begins as a GGUF does; its bytes follow from path and size. */
  add(path: string, size: number, magic = "GGUF"): Buffer {
    const bytes = Buffer.alloc(size);
    let state = [...path].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7);
    for (let at = 0; at < size; at += 1) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      bytes[at] = state >>> 24;
    }
    bytes.write(magic.slice(0, size), "latin1");
    this.files.set(path, bytes);
    return bytes;
  }

  /** The client has so many bytes of the file. What is cut off before they are read may be lost with the rest. */
  received(bytes: number): void {
    this.#sendPiece(bytes);
    if (this.#drop === null || bytes < this.#drop.at) return;
    this.#drop.response.socket?.destroy();
    this.#drop = null;
  }

  #sendPiece(received: number): void {
    const pieces = this.#pieces;
    if (pieces === null || received < pieces.at) return;
    const piece = pieces.left.shift();
    pieces.at += piece?.length ?? 0;
    if (piece === undefined) pieces.response.end();
    else pieces.response.write(piece);
    if (piece === undefined) this.#pieces = null;
  }

  /** Cuts the connections that are held. */
  release(): void {
    for (const response of this.#held) response.socket?.destroy();
    this.#held.clear();
  }

  get ranges(): readonly (string | undefined)[] {
    return this.seen.filter(({ server }) => server === "cdn").map(({ range }) => range);
  }

  #see(server: "hub" | "cdn", request: IncomingMessage): void {
    this.seen.push({
      server,
      url: request.url ?? "",
      authorization: request.headers.authorization,
      range: request.headers.range,
      ifRange: request.headers["if-range"] as string | undefined,
    });
  }

  #answerHub(request: IncomingMessage, response: ServerResponse): void {
    this.#see("hub", request);
    const { pathname, searchParams } = new URL(request.url ?? "", this.endpoint);
    const tree = `/api/models/${this.repo}/tree/main`;
    const file = `/${this.repo}/resolve/main/`;
    if (!pathname.startsWith(tree) && !pathname.includes("/resolve")) {
      const code = this.token === null ? 401 : 404;
      return void refuse(response, {
        kind: "status",
        status: code,
        headers: { "x-error-code": "RepoNotFound" },
      });
    }
    if (this.token !== null && request.headers.authorization !== `Bearer ${this.token}`) {
      return void refuse(response, { kind: "status", status: 401, headers: { "x-error-code": "GatedRepo" } });
    }
    if (pathname === tree) return void this.#list(Number(searchParams.get("cursor") ?? 0), response);
    const fault = this.fileFaults[0];
    if (fault?.kind === "status" && fault.headers?.["x-error-code"] !== undefined) {
      this.fileFaults.shift();
      refuse(response, fault);
    } else if (fault?.kind === "loop") {
      response.writeHead(302, { location: request.url }).end();
    } else if (pathname.startsWith(file)) {
      // As the hub does for its own cache: relative, and still on its origin.
      response.writeHead(307, { location: pathname.replace("/resolve/main/", "/resolve-cache/") }).end();
    } else {
      const path = pathname.split("/resolve-cache/")[1] ?? "";
      response.writeHead(302, { location: `${this.#cdnUrl}/blobs/${path}?signature=secret` }).end();
    }
  }

  #list(cursor: number, response: ServerResponse): void {
    const fault = this.listFaults.shift();
    if (fault?.kind === "status") return void refuse(response, fault);
    if (fault?.kind === "hold") {
      response.writeHead(200).flushHeaders();
      return void this.onHold();
    }
    const entries = [...this.files].map(([path, bytes]) => entryOf(path, bytes));
    const page = [{ type: "directory", path: "sub", oid: "x", size: 0 }, ...entries].slice(
      cursor,
      cursor + PAGE_FILES,
    );
    const next = cursor + PAGE_FILES;
    const url = `${this.endpoint}/api/models/${this.repo}/tree/main?recursive=true&cursor=${next}`;
    const link = next <= entries.length ? { link: `<${url}>; rel="next"` } : {};
    response.writeHead(200, { "content-type": "application/json", ...link }).end(JSON.stringify(page));
  }

  #answerCdn(request: IncomingMessage, response: ServerResponse): void {
    this.#see("cdn", request);
    const path = decodeURIComponent(new URL(request.url ?? "", this.#cdnUrl).pathname.replace("/blobs/", ""));
    const fault = this.fileFaults.shift();
    const bytes = this.files.get(path);
    if (fault?.kind === "status") return void refuse(response, fault);
    if (bytes === undefined) {
      return void refuse(response, {
        kind: "status",
        status: 404,
        headers: { "x-error-code": "EntryNotFound" },
      });
    }
    const etag = `"${sha256(bytes).slice(0, 16)}"`;
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1];
    const current = request.headers["if-range"] === undefined || request.headers["if-range"] === etag;
    const ranged = asked !== undefined && current && fault?.kind !== "whole";
    const from = ranged ? Number(asked) + (fault?.kind === "other-start" ? 1 : 0) : 0;
    if (from >= bytes.length && from > 0) return void refuse(response, { kind: "status", status: 416 });
    const body = Buffer.from(bytes.subarray(from));
    if (fault?.kind === "wrong") body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
    const length = fault?.kind === "short" ? body.length - 1 : body.length;
    response.writeHead(ranged ? 206 : 200, {
      "content-length": length,
      ...(this.etags ? { etag } : {}),
      ...(ranged ? { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
    });
    if (fault?.kind === "drop") this.#drop = { at: from + fault.at, response };
    if (fault?.kind === "hold") this.#held.add(response);
    if (fault?.kind === "pieces") {
      const size = Math.ceil(body.length / fault.count);
      const left = Array.from({ length: fault.count }, (_, i) => body.subarray(i * size, (i + 1) * size));
      this.#pieces = { response, left, at: from };
      this.#sendPiece(from);
    } else if (fault?.kind !== "drop" && fault?.kind !== "hold") response.end(body.subarray(0, length));
    else if (fault.at === 0) this.onHold();
    else response.write(body.subarray(0, fault.at), () => this.onHold());
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** GGUF files lie in large-file storage; others are Git's own. */
function entryOf(path: string, bytes: Buffer): object {
  const oid = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  const lfs = { oid: sha256(bytes), size: bytes.length, pointerSize: 135 };
  return { type: "file", path, oid, size: bytes.length, ...(path.startsWith("git/") ? {} : { lfs }) };
}

function refuse(response: ServerResponse, { status, headers }: Fault & { kind: "status" }): void {
  response.writeHead(status, headers).end('{"error": "no"}');
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}
