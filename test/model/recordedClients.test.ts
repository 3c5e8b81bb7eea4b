/**
 * What real clients were recorded to do (`bun run clients`), by hand and in milliseconds: the server with a scripted
 * model prefills nothing that could be known, by the oracle's judgement and the device's count; and the judge sees it
 * where it does.
 */
import { expect, test } from "bun:test";
import { isObject, type Json, type JsonObject, listOf } from "../clients/body.ts";
import { type Cost, judgedRows, type RequestRow } from "../clients/judgedRows.ts";
import { type RecordedServer, startRecordedServer } from "../clients/RecordedServer.ts";
import { stepPrompt } from "../clients/script.ts";

const SYSTEM = "You are the assistant of a workshop. Look things up before you answer. ".repeat(12);
const CONTEXT = "Files here: notes, orders, a list of paints, and what is left to do. ".repeat(90);
const DATE = "The current date is Monday, November 30, 2026. Do not mention it. ";
const RESULT = "Order 17: three cans of grey paint, to be fetched on day 4 of the month. ".repeat(4);
const SCHEMA = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };

async function post(server: RecordedServer, path: string, body: JsonObject): Promise<JsonObject> {
  const response = await fetch(server.url + path, { method: "POST", body: JSON.stringify(body) });
  const json: Json = JSON.parse(await response.text());
  await server.warmIdle();
  if (!response.ok || !isObject(json)) throw new Error(`${response.status}: ${JSON.stringify(json)}`);
  return json;
}

async function rowsOf(
  server: RecordedServer,
  kind: "hybrid" | "dense",
): Promise<(RequestRow & { cost: Cost })[]> {
  const rows = await judgedRows([server]);
  return rows.map((row) => {
    const cost = row.costs[kind];
    if (cost === undefined) throw new Error(`no cost on ${kind}`);
    expect(row.pure).toBe(true);
    return { ...row, cost };
  });
}

/** A step with a call, its result, an answer, and the next step, whose session has taken the date out of the first. */
async function playChat(server: RecordedServer): Promise<void> {
  const tools = [{ type: "function", function: { name: "bash", parameters: SCHEMA } }];
  const first = (parts: readonly string[]): Json => ({
    role: "user",
    content: parts.map((text) => ({ type: "text", text })),
  });
  let messages: Json[] = [{ role: "system", content: SYSTEM }, first([CONTEXT, DATE, stepPrompt(1)])];
  const ask = async (): Promise<void> => {
    const reply = await post(server, "/v1/chat/completions", { messages, tools });
    const [choice] = listOf(reply["choices"]);
    const message = isObject(choice) && isObject(choice["message"]) ? choice["message"] : {};
    messages.push(message);
    for (const call of listOf(message["tool_calls"])) {
      messages.push({
        role: "tool",
        tool_call_id: isObject(call) ? (call["id"] ?? "") : "",
        content: RESULT,
      });
    }
  };
  await ask();
  await ask();
  messages = [{ role: "system", content: SYSTEM }, first([CONTEXT, stepPrompt(1)]), ...messages.slice(2)];
  messages.push({ role: "user", content: stepPrompt(3) });
  await ask();
}

test("a session that is taken up again without the date resumes inside its first message", async () => {
  await using server = await startRecordedServer("hybrid");
  await playChat(server);
  const [first, second, third] = await rowsOf(server, "hybrid");
  expect(second).toMatchObject({ goesOn: true, results: 1, cost: { beyond: 0 } });
  expect(third?.goesOn).toBe(false);
  // Inside the message, and not in front of it.
  expect(third?.known).toBeGreaterThan(0.7 * (first?.prompt ?? 0));
  expect(third?.cost.beyond).toBe(0);
});

test("system text that a client adds behind a result costs nothing that was warmed", async () => {
  await using server = await startRecordedServer("hybrid");
  const tools = [{ name: "Bash", input_schema: SCHEMA }];
  const messages: Json[] = [{ role: "user", content: stepPrompt(1) }];
  const body = (): JsonObject => ({ model: "local", max_tokens: 500, system: SYSTEM, messages, tools });
  const reply = await post(server, "/v1/messages", body());
  const [id = ""] = listOf(reply["content"]).flatMap((block) =>
    isObject(block) && block["type"] === "tool_use" ? [block["id"] ?? ""] : [],
  );
  messages.push({ role: "assistant", content: reply["content"] ?? [] });
  messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: RESULT }] });
  messages.push({ role: "system", content: "<total_tokens>9000 tokens left</total_tokens>" });
  await post(server, "/v1/messages", body());
  const [, second] = await rowsOf(server, "hybrid");
  expect(second).toMatchObject({ goesOn: true, results: 1, cost: { beyond: 0, isAvoidable: false } });
});

test("the judge sees what is not warmed", async () => {
  await using server = await startRecordedServer("dense", "off");
  await playChat(server);
  const [, second] = await rowsOf(server, "dense");
  expect(second?.goesOn).toBe(true);
  expect(second?.cost.beyond).toBeGreaterThan(0);
  expect(second?.cost.isAvoidable).toBe(true);
});
