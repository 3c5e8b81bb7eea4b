/** Whatever host a request names, its path is routed where keys are set; and a connection that breaks is the client's affair. */
import { expect, test } from "bun:test";
import { createConnection } from "node:net";
import { fakeServer } from "../support/FakeServer.ts";
import { inProcess, listening } from "../support/httpClient.ts";
import { onEachTarget } from "./targets.ts";

const PATHS = ["/health", "/v1/models", "/v1/messages", "/v1/messages/count_tokens", "/v1/responses"];
const HOSTS = ["m", "llm", "a.b", "llm:80", "[::1]", "a b%%:99999", "x:80:80", "@", ""];

/** One request as it goes over the wire, with any Host at all; resolves with the whole answer. */
function wire(url: string, request: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = createConnection(Number(new URL(url).port), "127.0.0.1", () => socket.write(request));
  let answer = "";
  socket.on("data", (part) => {
    answer += part.toString();
  });
  socket.on("error", reject);
  socket.on("close", () => resolve(answer));
  return promise;
}

test("a short host in a URL", async () => {
  const { app, errors } = fakeServer({ allowedHosts: ["*"] });
  const target = inProcess(app);
  const models = await target.fetch(new Request("http://llm/v1/models?limit=1"));
  const health = await target.fetch(new Request("http://m/health"));
  expect([models.status, health.status]).toEqual([200, 200]);
  for (const path of PATHS.filter((it) => /messages|responses/.test(it))) {
    const answer = await target.fetch(new Request(`http://llm${path}`, { method: "POST", body: "" }));
    expect([path, answer.status, await answer.text()]).toEqual([
      path,
      400,
      expect.stringContaining("body is empty"),
    ]);
  }
  expect(errors).toEqual([]);
});

test.each(HOSTS)("a Host header of %p", async (host) => {
  const { app, errors } = fakeServer({ apiKeys: ["one"] });
  await using target = listening(app);
  const request = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  expect(await wire(target.url, request("/health"))).toStartWith("HTTP/1.1 200");
  expect(await wire(target.url, request("/nowhere?a=/health"))).toContain("There is nothing at /nowhere.");
  expect(errors).toEqual([]);
});

onEachTarget("a body that breaks off", (open) => {
  test("is no error of ours", async () => {
    await using opened = open();
    if (opened.target.name === "server") {
      const { url } = opened.target;
      const head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{";
      const socket = createConnection(Number(new URL(url).port), "127.0.0.1", () => socket.end(head));
      await new Promise((resolve) => socket.on("close", resolve).resume());
    } else {
      const body = new ReadableStream({ start: (it) => it.error(new DOMException("closed", "AbortError")) });
      const broken = new Request(`${opened.target.url}/v1/chat/completions`, { method: "POST", body });
      expect((await opened.target.fetch(broken)).status).toBe(400);
    }
    expect(opened.server.errors).toEqual([]);
  });
});
