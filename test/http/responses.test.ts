/** `/v1/responses` over a fake engine: what streams and whole answers say, and what is stored. */
import { expect, test } from "bun:test";
import { get, json, type Loose, readSse } from "../support/httpClient.ts";
import {
  ADD,
  assistant,
  call,
  events,
  HI,
  output,
  outputText,
  post,
  response,
  user,
} from "./responsesWire.ts";
import { onEachTarget } from "./targets.ts";

const REPLY =
  '<think>\nhm ok\n</think>\n\nSure.\n\n<tool_call>\n{"name": "add", "arguments": {"b": 2.0, "a": 1}}\n</tool_call>\nDone';

/** The items without what differs from one response to the next. */
const contents = (items: Loose[]): Loose[] => items.map(({ id: _, call_id: __, ...rest }) => rest);

/** What a client puts together of the events alone. */
function assembled(sent: Loose[]): Loose[] {
  const items: Loose[] = [];
  for (const event of sent) {
    const at = items[event.output_index];
    if (event.type === "response.output_item.added") items.push(structuredClone(event.item));
    if (event.type === "response.reasoning_summary_part.added") at.summary.push({ ...event.part });
    if (event.type === "response.reasoning_summary_text.delta")
      at.summary[event.summary_index].text += event.delta;
    if (event.type === "response.content_part.added") at.content.push({ ...event.part });
    if (event.type === "response.output_text.delta") at.content[event.content_index].text += event.delta;
    if (event.type === "response.function_call_arguments.delta") at.arguments += event.delta;
    if (event.item_id !== undefined) expect(event.item_id).toBe(at.id);
    if (event.type !== "response.output_item.done") continue;
    expect({ ...at, status: "completed" }).toEqual(event.item);
    items[event.output_index] = event.item;
  }
  return items;
}

onEachTarget("responses", (open) => {
  test("the events of a reply, in order, and the whole answer of the same", async () => {
    await using opened = open();
    const { server, target } = opened;
    server.engine.script = () => ({ text: REPLY, report: { resumedTokens: 3 } });
    const sent = await events(target, { tools: [ADD] });
    const kinds = sent.map(({ type }) => type.replace("response.", ""));
    expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
    const last = sent.at(-1).response;
    expect(assembled(sent)).toEqual(last.output);
    const whole = await response(target, { tools: [ADD] });
    expect(contents(whole.output)).toEqual(contents(last.output));
    expect(contents(whole.output)).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "hm ok" }], encrypted_content: null },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Sure." }] },
      { type: "function_call", name: "add", arguments: '{"b": 2.0, "a": 1}', status: "completed" },
      { type: "message", content: [{ text: "Done" }] },
    ]);
    const tokens = { input_tokens: 8, output_tokens: whole.usage.output_tokens };
    expect(whole.usage).toMatchObject({
      ...tokens,
      input_tokens_details: { cached_tokens: 3 },
      total_tokens: tokens.input_tokens + tokens.output_tokens,
    });
    expect(whole.usage.output_tokens_details.reasoning_tokens).toBeGreaterThan(5);
    expect([whole.warmturn.resumed, last.warmturn.resumed]).toEqual([3, 3]);
    const ids = [...last.output, ...whole.output].map(({ id }: Loose) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("each event has its name in front", async () => {
    await using opened = open();
    const answer = await post(opened.target, { ...HI, stream: true });
    const text = await answer.clone().text();
    const { data } = await readSse(answer);
    const names = data.map((one) => JSON.parse(one).type);
    expect([...text.matchAll(/^event: (.*)\ndata: /gm)].map(([, name]) => name)).toEqual(names);
    expect(text).not.toContain("[DONE]");
  });

  test("a response repeats what it was asked, nulls included", async () => {
    await using opened = open();
    const asked = {
      instructions: "be brief",
      max_output_tokens: 50,
      metadata: { a: "b" },
      parallel_tool_calls: false,
      prompt_cache_key: "k",
      reasoning: { effort: "high" },
      store: false,
      temperature: 0.5,
      tool_choice: { type: "function", name: "add" },
      tools: [ADD, { type: "web_search" }],
      top_p: 0.25,
    };
    const whole = await response(opened.target, asked);
    expect(whole).toMatchObject({ ...asked, reasoning: { effort: "high", summary: null }, model: "local" });
    const bare = await response(opened.target, { model: undefined });
    expect(bare).toMatchObject({ model: "fake-model", object: "response", status: "completed" });
    const required = (
      "id object created_at completed_at status incomplete_details model previous_response_id instructions output " +
      "error tools tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty " +
      "top_logprobs temperature reasoning usage max_output_tokens max_tool_calls store background service_tier " +
      "metadata safety_identifier prompt_cache_key"
    ).split(" ");
    expect(required.filter((field) => !(field in bare))).toEqual([]);
    const [created] = await events(opened.target, {});
    expect(required.filter((field) => !(field in created.response))).toEqual([]);
    expect(created.response).toMatchObject({ status: "in_progress", output: [], usage: null });
  });

  test("max_output_tokens reaches the engine, and a reply that it ends is incomplete", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "hel", reason: "length" });
    const whole = await response(opened.target, { max_output_tokens: 3 });
    expect(opened.server.engine.runs[0]?.spec.maxTokens).toBe(3);
    expect(whole).toMatchObject({
      status: "incomplete",
      completed_at: null,
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ status: "incomplete", content: [{ text: "hel" }] }],
    });
  });

  test("ids stand for the items: the prompt is that of the items themselves", async () => {
    await using opened = open();
    const { server, target } = opened;
    server.engine.script = ({ conversation }) => ({ text: conversation.turn === 1 ? REPLY : "Bye" });
    const base = { tools: [ADD], instructions: "You add." };
    const asked = user(`hi ${"there ".repeat(20)}`);
    const first = await response(target, { ...base, input: [asked] });
    const { call_id } = first.output.find(({ type }: Loose) => type === "function_call");
    const answer = output(call_id, "3");
    const second = await response(target, { ...base, input: [answer], previous_response_id: first.id });
    const references = first.output.map(({ id }: Loose) => ({ type: "item_reference", id }));
    const more = user("and now?");
    const ways = [
      { input: [more], previous_response_id: second.id },
      { input: [asked, ...references, answer, { id: second.output[0].id }, more] },
      { input: [asked, ...first.output, answer, ...second.output, more] },
      {
        input: [
          asked,
          { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "hm ok" }] },
          assistant("Sure."),
          // As clients that read the arguments write them.
          call(call_id, '{"a":1,"b":2.0}'),
          assistant([outputText("Done")]),
          answer,
          assistant("Bye"),
          more,
        ],
      },
    ];
    server.prompts.length = 0;
    for (const way of ways) await response(target, { ...base, ...way });
    for (const prompt of server.prompts) expect(prompt).toEqual(server.prompts[0] ?? prompt);
    expect(server.prompts[0]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    const keys = server.engine.runs.slice(2).map(({ spec }) => [...spec.plan.keys]);
    for (const one of keys) expect(one).toEqual(keys[0] ?? []);
  });

  test("a stored response is read and deleted, with its items", async () => {
    await using opened = open();
    const { target } = opened;
    const made = await response(target, {});
    const read = await get(target, `/v1/responses/${made.id}`);
    expect([read.status, await json(read)]).toEqual([200, made]);
    const gone = await get(target, `/v1/responses/${made.id}`, { method: "DELETE" });
    expect(await json(gone)).toEqual({ id: made.id, object: "response", deleted: true });
    expect((await get(target, `/v1/responses/${made.id}`)).status).toBe(404);
    const lost = await post(target, { input: [user("x"), { id: made.output[0].id }] });
    expect(lost.status).toBe(404);
  });

  test("a streamed response is stored before its last event, and a bounded number is", async () => {
    await using opened = open({ limits: { storedResponsesMax: 2 } });
    const { target } = opened;
    const ids: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) ids.push((await events(target, {})).at(-1).response.id);
    const statuses = await Promise.all(
      ids.map(async (id) => (await get(target, `/v1/responses/${id}`)).status),
    );
    expect(statuses).toEqual([404, 200, 200]);
  });

  test("hints of the session and the key reach the conversation, and nothing else", async () => {
    await using opened = open();
    const { server, target } = opened;
    const same = { input: "hi ".repeat(100) };
    await response(target, { ...same, prompt_cache_key: "a" });
    await response(target, same, { headers: { "session-id": "b" } });
    expect(server.prompts[1]).toEqual(server.prompts[0] ?? { messages: [], tools: [], kwargs: new Map() });
  });
});
