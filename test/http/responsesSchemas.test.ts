/** Every body and stream event of the Responses API is what the openai package's types say. */
import { beforeAll, describe, expect, test } from "bun:test";
import { fakeServer } from "../support/FakeServer.ts";
import { get, inProcess, json } from "../support/httpClient.ts";
import { type CheckWire, wireSchemas } from "../support/wireSchemas/wireSchemas.ts";
import { ADD, events, HI, post, response } from "./responsesWire.ts";

const CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2.0}}\n</tool_call>';
const PATCH = '<tool_call>\n{"name": "ns__patch", "arguments": {"input": "x"}}\n</tool_call>';
const REPLIES = {
  text: "hello",
  nothing: " ",
  "reasoning and text": "<think>\nhm\n</think>\n\nhello",
  "reasoning, text and calls": `<think>\nhm\n</think>\n\nSure.\n\n${CALL}\n${PATCH}`,
  "text behind a call": `${CALL}\nDone.`,
  "a call that is cut off": '<tool_call>\n{"name": "add", "arguments": {"a": 1',
};
const TOOLS = [
  ADD,
  { type: "namespace", name: "ns", description: "", tools: [{ type: "custom", name: "patch" }] },
];
const GENERATE_MS_MAX = 120_000;

let check: CheckWire;
beforeAll(async () => {
  check = await wireSchemas();
}, GENERATE_MS_MAX);

test("the schemas do refuse", () => {
  expect(() => check("response", { id: "resp_1" })).toThrow("must have required property 'created_at'");
  expect(() => check("responseItemEvent", { type: "response.output_item.added" })).toThrow("output_index");
  expect(() => check("responsePartEvent", { type: "response.output_text.delta" })).toThrow("delta");
});

describe.each(Object.entries(REPLIES))("%s", (_, text) => {
  for (const end of ["stop", "length", "failure"] as const) {
    test(`ended by ${end}`, async () => {
      const server = fakeServer();
      const target = inProcess(server.app);
      const fail = { code: "evaluate-failed", message: "The GPU fell off." } as const;
      server.engine.script = () => (end === "failure" ? { text, fail } : { text, reason: end });
      for (const include of [[], ["reasoning.encrypted_content"]]) {
        const body = { tools: TOOLS, include, instructions: "x", user: "u", metadata: { a: "b" } };
        if (end !== "failure") check("response", await response(target, body));
        for (const event of await events(target, body)) {
          if (event.response !== undefined) check("responseLifecycle", event);
          else if (event.type.includes("output_item")) check("responseItemEvent", event);
          else check("responsePartEvent", event);
        }
      }
    });
  }
});

test("a stored one, and errors in OpenAI's form", async () => {
  const server = fakeServer();
  const target = inProcess(server.app);
  const { id } = await response(target, {});
  check("response", await json(await get(target, `/v1/responses/${id}`)));
  const error = { message: expect.any(String), type: expect.any(String) };
  for (const body of ["{", {}, { ...HI, previous_response_id: "no" }]) {
    expect(await json(await post(target, body))).toMatchObject({ error });
  }
});
