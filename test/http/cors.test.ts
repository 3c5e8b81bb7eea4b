/** Pages of other origins: let in where `--cors-origins` says so, by every kind of answer; never with cookies. */
import { expect, test } from "bun:test";
import { originOf } from "../../src/protocol/http/cors.ts";
import { get, postChat } from "../support/httpClient.ts";
import { type Opened, onEachTarget, USER } from "./targets.ts";

const PAGE = "https://chat.example.org";
const FROM_PAGE = { origin: PAGE };
const ASKS = {
  ...FROM_PAGE,
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type",
};

/** One of each kind of answer: whole, stream, refusals with and without a handler, foreign path and method. */
async function answers({ target }: Opened, headers: Record<string, string>): Promise<readonly Response[]> {
  const keyed = { ...headers, authorization: "Bearer one" };
  return [
    await postChat(target, { messages: USER }, { headers: keyed }),
    await postChat(target, { messages: USER, stream: true }, { headers: keyed }),
    await postChat(
      target,
      { model: "x", max_tokens: 1, messages: USER },
      { headers: keyed, path: "/v1/messages" },
    ),
    await postChat(target, "{", { headers: keyed }),
    await postChat(target, { messages: USER }, { headers }),
    await get(target, "/nothing", { headers }),
    await get(target, "/v1/chat/completions", { headers }),
    await get(target, "/health", { headers }),
  ];
}

function allowed(response: Response): string | null {
  expect(response.headers.get("access-control-allow-credentials")).toBe(null);
  return response.headers.get("access-control-allow-origin");
}

onEachTarget("pages of other origins", (open) => {
  test("may not read anything unless it is said", async () => {
    await using opened = open({ apiKeys: ["one"] });
    for (const response of await answers(opened, FROM_PAGE)) {
      expect([allowed(response), response.headers.get("vary")]).toEqual([null, null]);
    }
    const asked = await get(opened.target, "/v1/chat/completions", { method: "OPTIONS", headers: ASKS });
    expect([asked.status, allowed(asked)]).toEqual([405, null]);
  });

  test("of a list read all answers, and others none", async () => {
    await using opened = open({ apiKeys: ["one"], corsOrigins: [PAGE, "tauri://localhost"] });
    for (const response of await answers(opened, FROM_PAGE)) {
      expect([allowed(response), response.headers.get("vary")]).toEqual([PAGE, "origin"]);
      expect(response.headers.get("access-control-expose-headers")).toContain("x-request-id");
    }
    for (const origin of ["https://evil.example.org", `${PAGE}:8443`, "http://chat.example.org", "null"]) {
      const response = await get(opened.target, "/health", { headers: { origin } });
      expect([allowed(response), response.headers.get("vary")]).toEqual([null, "origin"]);
    }
    const plain = await get(opened.target, "/health");
    expect([allowed(plain), plain.headers.get("vary")]).toEqual([null, "origin"]);
  });

  test("of a list ask first, without a key and while the model loads", async () => {
    await using opened = open({ apiKeys: ["one"], corsOrigins: [PAGE] });
    opened.server.phase = "loading";
    const asked = await get(opened.target, "/v1/chat/completions", { method: "OPTIONS", headers: ASKS });
    expect([asked.status, allowed(asked)]).toEqual([204, PAGE]);
    expect(asked.headers.get("access-control-allow-methods")).toBe("POST");
    expect(asked.headers.get("access-control-allow-headers")).toBe("authorization,content-type");
    expect(asked.headers.get("access-control-max-age")).toBe("7200");
    const evil = { ...ASKS, origin: "https://evil.example.org" };
    const refused = await get(opened.target, "/v1/chat/completions", { method: "OPTIONS", headers: evil });
    expect([refused.status, allowed(refused)]).toEqual([405, null]);
    const noQuestion = await get(opened.target, "/v1/models", { method: "OPTIONS", headers: FROM_PAGE });
    expect([noQuestion.status, allowed(noQuestion)]).toEqual([405, PAGE]);
  });

  test("all, by *: the star is answered, so that cookies stay out", async () => {
    await using opened = open({ apiKeys: ["one"], corsOrigins: ["*"] });
    for (const response of await answers(opened, FROM_PAGE)) expect(allowed(response)).toBe("*");
    const asked = await get(opened.target, "/v1/messages", { method: "OPTIONS", headers: ASKS });
    expect([asked.status, allowed(asked)]).toEqual([204, "*"]);
  });

  test("of this machine, by localhost", async () => {
    await using opened = open({ corsOrigins: ["localhost"] });
    const reads = async (origin: string): Promise<string | null> =>
      allowed(await get(opened.target, "/health", { headers: { origin } }));
    for (const origin of ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:3000"]) {
      expect(await reads(origin)).toBe(origin);
    }
    for (const origin of ["http://localhost.example.org", "http://127.0.0.1.nip.io", "file://localhost"]) {
      expect(await reads(origin)).toBe(null);
    }
  });
});

test("origins as a browser spells them", () => {
  expect(
    ["https://Chat.Example.org/", "http://a:80", "tauri://localhost", "chrome-extension://abc", "*"].map(
      originOf,
    ),
  ).toEqual(["https://chat.example.org", "http://a", "tauri://localhost", "chrome-extension://abc", "*"]);
  for (const none of [
    "",
    "null",
    "chat.example.org",
    "https://a/b",
    "https://u@a",
    "https://",
    "http s://a",
  ]) {
    expect(originOf(none)).toBeUndefined();
  }
});
