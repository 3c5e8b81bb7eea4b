/** What every endpoint with a body refuses alike, in its protocol's form: the documentation says which there are. */
import { describe, expect, test } from "bun:test";
import type { FakeServerOptions } from "../support/FakeServer.ts";
import { json, type Loose, postChat } from "../support/httpClient.ts";
import { contentOf, documentation } from "../support/openApi/documentation.ts";
import { onEachTarget } from "./targets.ts";

const { operations, check, bodyOf } = await documentation();
const ENDPOINTS = operations.filter(({ operation }) => operation.requestBody !== undefined);
/** All read their bodies by the same function: the largest is sent once. */
const HUNDRED_MB = new Uint8Array(100 * 1024 * 1024).fill(0x20);

interface BadRequest {
  readonly what: string;
  readonly status: number;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly server?: FakeServerOptions;
  readonly phase?: "loading" | "closing";
}

const BAD: readonly BadRequest[] = [
  { what: "no body", status: 400 },
  { what: "blank", status: 400, body: " \n" },
  { what: "half of one", status: 400, body: '{"messages": [' },
  { what: "an array", status: 400, body: "[]" },
  { what: "null", status: 400, body: "null" },
  { what: "a string", status: 400, body: '"hello"' },
  { what: "bytes that are no UTF-8", status: 400, body: Uint8Array.of(0x7b, 0xff, 0x7d) },
  { what: "UTF-16", status: 400, body: Uint8Array.of(0xff, 0xfe, 0x7b, 0, 0x7d, 0) },
  { what: "nested too deep", status: 400, body: `{"messages":${"[".repeat(100_000)}` },
  { what: "a form", status: 415, headers: { "content-type": "multipart/form-data; boundary=x" } },
  { what: "packed", status: 415, headers: { "content-encoding": "gzip" } },
  { what: "100 MB", status: 413, body: HUNDRED_MB },
  { what: "too large", status: 413, server: { limits: { bodyBytesMax: 10 } } },
  { what: "too large, of a length that nobody said", status: 413, server: { limits: { bodyBytesMax: 10 } } },
  { what: "without a key", status: 401, server: { apiKeys: ["one"] } },
  { what: "with a wrong key", status: 401, server: { apiKeys: ["one"] }, headers: { "x-api-key": "two" } },
  { what: "while the model loads", status: 503, phase: "loading" },
  { what: "while the server closes", status: 503, phase: "closing" },
];

onEachTarget("refused alike", (open) => {
  describe.each(ENDPOINTS)("$name", (endpoint) => {
    test.each(BAD.map((bad) => [bad.what, bad] as const))("%s", async (what, bad) => {
      await using opened = open(bad.server);
      if (bad.body === HUNDRED_MB && (opened.target.name === "app" || endpoint !== ENDPOINTS[0])) return;
      if (bad.phase !== undefined) opened.server.phase = bad.phase;
      const example: unknown = bodyOf(endpoint).examples[0];
      const body = what === "no body" ? "" : (bad.body ?? JSON.stringify(example));
      const headers = { "content-type": "application/json", ...bad.headers };
      // Of a stream nobody knows the length.
      const sent = what.includes("nobody said") ? new Response(body).body : body;
      const request = new Request(opened.target.url + endpoint.path, { method: "POST", headers, body: sent });
      const response = await opened.target.fetch(request);
      const answer: Loose = await json(response);
      expect([response.status, answer.error.message ?? answer.error]).toEqual([
        bad.status,
        expect.any(String),
      ]);
      check(contentOf(endpoint, bad.status)["application/json"].schema, answer);
      expect(response.headers.has("retry-after")).toBe(bad.status === 503);
      expect(opened.server.engine.runs).toEqual([]);
      expect(opened.server.errors).toEqual([]);
    });

    test("above the queue's limit", async () => {
      await using opened = open({ limits: { queueMax: 1 } });
      const { engine } = opened.server;
      if (!(429 in endpoint.operation.responses)) return;
      // They start no run; `embeddings.test.ts` has theirs.
      if (endpoint.operation.tags.includes("embeddings")) return;
      engine.script = () => ({ text: "x", hold: "prefill" });
      const example: unknown = bodyOf(endpoint).examples[0];
      const started = engine.nextRun();
      const ask = (): Promise<Response> => postChat(opened.target, example, { path: endpoint.path });
      const first = ask();
      const run = await started;
      const second = await ask();
      expect([second.status, second.headers.get("retry-after")]).toEqual([429, "2"]);
      check(contentOf(endpoint, 429)["application/json"].schema, await second.json());
      run.release();
      expect((await first).status).toBe(200);
    });
  });
});
