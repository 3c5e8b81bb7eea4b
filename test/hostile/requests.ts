/** Requests from the OpenAPI document and by mutation, over every endpoint. */

import type { Loose } from "../support/httpClient.ts";
import type { Documentation, Operation } from "../support/openApi/documentation.ts";
import { bodyLike, mutatedJson } from "./bodies.ts";
import { damaged, nastyGrammar, nastySchema } from "./nastyValues.ts";
import type { Random } from "./Random.ts";

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  /** What the documentation says may come; null where method or path are nobody's. */
  readonly statuses: readonly number[] | null;
}

const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { "content-type": "text/plain" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-type": "multipart/form-data; boundary=x" },
  { "content-encoding": "gzip" },
  { "x-request-id": "a".repeat(5000) },
  { "x-request-id": "é\tä" },
  { host: "evil.example" },
  { origin: "https://evil.example" },
  { origin: "null" },
  { authorization: "Bearer ".concat("x".repeat(5000)) },
  { authorization: "Basic Og==" },
  { "anthropic-version": "9999", "anthropic-beta": ",,,," },
  { "user-agent": "" },
  { accept: "text/event-stream", "accept-encoding": "br;q=2" },
  { "x-session-id": "../../x" },
];
const ODD_PATHS = [
  "//",
  "/%00",
  "/%2e%2e/",
  "/v1/../props",
  "/v1/chat/completions/",
  "/V1/MODELS",
  "/?a=%zz",
  "/;a=b",
];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/** Names that bound a reply's length in one protocol or another. */
const BOUNDS = ["max_tokens", "max_completion_tokens", "max_output_tokens", "n_predict"];

export class RequestMaker {
  readonly #docs: Documentation;
  readonly #random: Random;
  readonly #withBody: readonly Operation[];

  constructor(docs: Documentation, random: Random) {
    this.#docs = docs;
    this.#random = random;
    this.#withBody = docs.operations.filter(({ operation }) => operation.requestBody !== undefined);
  }

  next(): HostileRequest {
    const random = this.#random;
    const operation = random.once(6) ? random.pick(this.#docs.operations) : random.pick(this.#withBody);
    const hasBody = operation.operation.requestBody !== undefined;
    const headers = {
      "content-type": "application/json",
      ...(random.once(12) ? random.pick(ODD_HEADERS) : {}),
    };
    const body = hasBody ? this.#body(operation) : null;
    const named = operation.path.replace(/\{\w+\}/g, () =>
      random.pick(["0", "x", "resp_1", "%F0%9F%98%80", "a".repeat(900)]),
    );
    const isOdd = random.once(25);
    const path = isOdd ? damaged(random, named, ODD_PATHS) : named;
    const method = random.once(40) ? random.pick(METHODS) : operation.method.toUpperCase();
    const isDocumented = !isOdd && method.toLowerCase() === operation.method;
    return {
      method,
      path: path.startsWith("/") ? path : `/${path}`,
      headers,
      body: method === "GET" || method === "HEAD" ? null : body,
      statuses: isDocumented ? Object.keys(operation.operation.responses).map(Number) : null,
    };
  }

  #body(operation: Operation): HostileRequest["body"] {
    const random = this.#random;
    const value = bodyLike(random, this.#docs.schemas, this.#docs.bodyOf(operation));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject && random.once(4)) this.#hold(value, operation.path);
    if (isObject) this.#bound(value);
    let text = random.once(5) ? JSON.stringify(value) : mutatedJson(random, value);
    for (let times = random.below(3); times > 0 && text.length < 100_000; times -= 1)
      text = this.#again(text);
    if (random.once(15))
      text = damaged(random, text, ["{", "}", "[", '"', ",", "\\u12", "\0", "\ud800", "//", "1e5"]);
    if (random.once(60)) return bytesOf(random, text);
    return text;
  }

  #again(text: string): string {
    try {
      return mutatedJson(this.#random, JSON.parse(text));
    } catch {
      return text;
    }
  }

  /** What is to be said is held by a schema or a grammar. */
  #hold(body: Loose, path: string): void {
    const random = this.#random;
    const schema = nastySchema(random);
    if (/completions?$|infill/.test(path) && random.once(3)) body.grammar = nastyGrammar(random);
    else if (random.once(2)) {
      if (path.includes("responses")) body.text = { format: { type: "json_schema", name: "x", schema } };
      else if (path.includes("messages")) body.tools = [{ name: "add", input_schema: schema }];
      else if (path.includes("chat"))
        body.response_format = { type: "json_schema", json_schema: { name: "x", schema } };
      else body.json_schema = schema;
    } else {
      const fn = { name: "add", description: "d", parameters: schema };
      body.tools = path.includes("responses")
        ? [{ type: "function", ...fn }]
        : [{ type: "function", function: fn }];
      if (random.once(2)) body.tool_choice = "required";
    }
  }

  /** Most replies are short: what is looked for does not come from their length. */
  #bound(body: Loose): void {
    if (this.#random.once(20)) return;
    for (const name of BOUNDS)
      if (name in body || name === "max_tokens") body[name] = 1 + this.#random.below(4);
    if (this.#random.once(2)) for (const name of BOUNDS) body[name] = 2;
  }
}

/** Some bytes are others than UTF-8 has. */
function bytesOf(random: Random, text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  for (let times = 1 + random.below(4); times > 0; times -= 1)
    bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}
