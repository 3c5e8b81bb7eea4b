/** Where no key is set, neither a name that was made to point here nor a page of another origin is served. */
import { describe, expect, test } from "bun:test";
import { get, json, postChat } from "../support/httpClient.ts";
import { type Opened, onEachTarget, USER } from "./targets.ts";

const POSTS = [
  "/v1/chat/completions",
  "/v1/messages",
  "/v1/responses",
  "/completion",
  "/tokenize",
  "/v1/embeddings",
];
const GETS = ["/health", "/v1/models", "/props", "/slots", "/docs", "/openapi.json", "/nothing"];

const ours = ({ target }: Opened): string => new URL(target.url).host;

async function statuses({ target }: Opened, headers: Record<string, string>): Promise<readonly number[]> {
  const gets = await Promise.all(GETS.map((path) => get(target, path, { headers })));
  const posts = await Promise.all(POSTS.map((path) => postChat(target, "{", { path, headers })));
  return [...gets, ...posts].map(({ status }) => status);
}

const refused = (all: readonly number[]): boolean => all.every((status) => status === 403);
const served = (all: readonly number[]): boolean => all.every((status) => status !== 403);

onEachTarget("a stranger", (open) => {
  test.each([
    "evil.example",
    "evil.example:80",
    "127.0.0.1.nip.io",
    "localhost.evil.example",
    "0.0.0.0",
    "a b",
    "@",
  ])("that names the host %p is served nothing", async (host) => {
    await using opened = open();
    expect(refused(await statuses(opened, { host }))).toBe(true);
    const { error } = await json(await get(opened.target, "/v1/models", { headers: { host } }));
    expect(error).toMatchObject({ code: "host_not_allowed", type: "permission_error" });
    expect(error.message).toContain("--allowed-hosts");
    expect(opened.server.engine.runs).toEqual([]);
  });

  test.each(["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.1.2.3", "[::1]:8080", "app.localhost"])(
    "is none under this machine's own name %p",
    async (host) => {
      await using opened = open();
      expect(served(await statuses(opened, { host }))).toBe(true);
    },
  );

  test("is none under a name of --allowed-hosts, which holds with a key and on any address, too", async () => {
    for (const options of [{}, { host: "0.0.0.0" }, { apiKeys: ["one"] }]) {
      await using opened = open({ ...options, allowedHosts: ["box.lan", "fd00::1"] });
      for (const host of ["box.lan", "Box.lan:8080", "[fd00::1]:80"]) {
        expect(served(await statuses(opened, { host }))).toBe(true);
      }
      expect(refused(await statuses(opened, { host: "evil.example" }))).toBe(true);
    }
  });

  test("is known by the key where there is one, and by nothing on an address that was opened to all", async () => {
    for (const options of [{ apiKeys: ["one"] }, { host: "0.0.0.0" }, { allowedHosts: ["*"] }]) {
      await using opened = open(options);
      expect(served(await statuses(opened, { host: "evil.example" }))).toBe(true);
    }
  });

  test.each([
    "https://evil.example",
    "http://localhost:1",
    "null",
    "file://",
    "chrome-extension://abc",
    "http://[",
  ])("that is a page of %p is served nothing, asked or not", async (origin) => {
    await using opened = open();
    expect(refused(await statuses(opened, { origin, host: ours(opened) }))).toBe(true);
    const asks = { origin, "access-control-request-method": "POST" };
    const asked = await get(opened.target, "/v1/messages", { method: "OPTIONS", headers: asks });
    const { error } = await json(asked);
    expect([asked.status, error.type]).toEqual([403, "permission_error"]);
    expect(asked.headers.get("access-control-allow-origin")).toBe(null);
  });

  test("is no page of the server's own, nor one of --cors-origins, nor one with a key", async () => {
    await using own = open();
    const host = ours(own);
    expect(served(await statuses(own, { origin: `http://${host}`, host }))).toBe(true);
    expect(served(await statuses(own, { origin: `https://${host}`, host }))).toBe(true);
    await using listed = open({ corsOrigins: ["https://chat.example.org"] });
    expect(served(await statuses(listed, { origin: "https://chat.example.org" }))).toBe(true);
    await using keyed = open({ apiKeys: ["one"] });
    expect(served(await statuses(keyed, { origin: "https://evil.example" }))).toBe(true);
  });

  test("that sends a form, or text, is not read in any protocol", async () => {
    await using opened = open();
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=b",
    ]) {
      for (const path of POSTS) {
        const headers = { "content-type": type };
        const response = await postChat(opened.target, { messages: USER }, { path, headers });
        expect([path, type, response.status]).toEqual([path, type, 415]);
      }
    }
    expect(opened.server.engine.runs).toEqual([]);
  });
});

describe("the refusal", () => {
  onEachTarget("in each protocol's form", (open) => {
    test("names what would help", async () => {
      await using opened = open();
      const headers = { host: "evil.example" };
      const forms: readonly (readonly [string, object])[] = [
        ["/v1/chat/completions", { error: { type: "permission_error", code: "host_not_allowed" } }],
        ["/v1/messages", { type: "error", error: { type: "permission_error" } }],
        ["/completion", { error: { code: 403, type: "permission_error" } }],
      ];
      for (const [path, form] of forms) {
        expect(await json(await postChat(opened.target, "{}", { path, headers }))).toMatchObject(form);
      }
    });
  });
});
