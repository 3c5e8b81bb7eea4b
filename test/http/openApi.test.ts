/** `/openapi.json` is valid, tells of every route, and says what the server does: bodies, events, refusals. */
import { describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { methodsOf } from "../../src/protocol/http/methodsOf.ts";
import { fakeServer } from "../support/FakeServer.ts";
import { get, inProcess, json, type Loose, postChat, readSse } from "../support/httpClient.ts";
import { contentOf, documentation } from "../support/openApi/documentation.ts";
import { onEachTarget } from "./targets.ts";

const target = inProcess(fakeServer().app);
const { schemas, operations: OPERATIONS, check, bodyOf } = await documentation();
const WITH_BODY = OPERATIONS.filter(({ operation }) => operation.requestBody !== undefined);

onEachTarget("the documentation", (open) => {
  test("is served without a key and while the model loads, and is OpenAPI 3.1", async () => {
    await using opened = open({ apiKeys: ["one"] });
    opened.server.phase = "loading";
    const answer = await get(opened.target, "/openapi.json");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "application/json;charset=utf-8",
    ]);
    const validator = new Validator();
    const result = await validator.validate(await json(answer));
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  test("is a page that loads nothing and runs nothing", async () => {
    await using opened = open();
    const answer = await get(opened.target, "/docs");
    const page = await answer.text();
    expect(answer.headers.get("content-type")).toBe("text/html;charset=utf-8");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|src=|https?:|@import|url\(/);
    for (const { method, path } of OPERATIONS) {
      expect(page).toContain(`<code>${method.toUpperCase()} ${path}</code>`);
    }
    for (const name of Object.keys(schemas)) expect(page).toContain(`<details id="${name}">`);
    for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${id}"`);
  });
});

test("a route that says nothing of itself is refused", () => {
  const routes = [{ method: "POST", path: "/v1/new", hooks: {} }];
  expect(() => methodsOf(routes)).toThrow("POST /v1/new says nothing of itself");
});

test("every schema is one, and ids are unique", () => {
  const ids = OPERATIONS.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const name of Object.keys(schemas)) {
    // What is no schema cannot be compiled; any value will do.
    expect(() => check({ anyOf: [{ $ref: `#/components/schemas/${name}` }, {}] }, 0)).not.toThrow();
  }
});

test.each(OPERATIONS)("$name says what it is, and how it refuses", (one) => {
  const { operation } = one;
  expect(operation.summary).not.toBe("");
  expect(operation.tags.length).toBe(1);
  const open = operation.security?.length === 0;
  expect("401" in operation.responses).toBe(!open);
  for (const [status, answer] of Object.entries<Loose>(operation.responses)) {
    if (Number(status) >= 400) expect(Object.keys(answer.content)).toEqual(["application/json"]);
  }
  if (operation.requestBody === undefined) return;
  for (const status of [400, 413, 415, 503])
    expect(Object.keys(operation.responses)).toContain(String(status));
});

describe.each(WITH_BODY)("$name", (one) => {
  const [example] = bodyOf(one).examples ?? [];
  const send = async (body: unknown, options: Loose = {}, path = one.path) =>
    await postChat(target, body, { path, ...options });

  test("answers its example as it says", async () => {
    check(bodyOf(one), example);
    const answer = await send(example);
    expect(answer.status).toBe(200);
    check(contentOf(one, 200)["application/json"].schema, await answer.json());
  });

  test("streams events as it says", async () => {
    const events = contentOf(one, 200)["text/event-stream"]?.schema;
    const streamed = await send({ ...example, stream: true });
    const isStream = streamed.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    expect(isStream).toBe(events !== undefined);
    if (!isStream) return;
    const { data } = await readSse(streamed);
    for (const event of data) if (event !== "[DONE]") check(events, JSON.parse(event));
  });

  const fields = Object.entries<Loose>(bodyOf(one).properties);
  test.each(fields.map(([name, schema]) => ({ name, schema })))(
    "$name: a wrong kind is a 400 that names it, and what is ignored is ignored",
    async ({ name, schema }) => {
      const wrong = wrongKind(schema);
      if (wrong === undefined && schema["x-ignored"] !== true) return;
      const answer = await send({ ...example, [name]: wrong ?? [{ x: 1 }] });
      if (schema["x-ignored"] === true) {
        expect(answer.status).toBe(200);
        return;
      }
      const { error: told } = await json(answer);
      // Ollama's is a sentence.
      const error = typeof told === "string" ? { message: told } : told;
      expect([answer.status, `${error.param ?? ""} ${error.message}`]).toEqual([
        400,
        expect.stringContaining(name),
      ]);
    },
  );
});

/** A value that the schema refuses; undefined where it takes all that come to mind. */
function wrongKind(schema: Loose): unknown {
  return [{ wrong: true }, 5, "wrong", true, ["wrong"]].find((value) => {
    try {
      check(schema, value);
      return false;
    } catch {
      return true;
    }
  });
}
