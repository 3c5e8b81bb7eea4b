/**
 * The official SDKs in their last majors, each against a server of scripted replies: text, a tool loop and an object,
 * whole and streamed. Those of test/sdks are installed into the cache, so that a clean install stays light.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type FakeServer, fakeServer } from "../support/FakeServer.ts";
import { type HttpTarget, type Loose, listening } from "../support/httpClient.ts";

const LISTED = join(import.meta.dir, "..", "sdks");
const FOLDER = join(import.meta.dir, "..", "..", ".cache", "sdks");
const WAYS = ["whole", "streamed"] as const;
const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const NUMBERS = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a"],
};
const QUESTION = "What is 1 + 2?";

function call(name: string, args: string): string {
  return `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;
}

/** Thinks, calls, and answers once the result is there; an object where one is asked for. */
function open(): { readonly server: FakeServer; readonly target: HttpTarget } {
  const server = fakeServer();
  server.engine.script = ({ sampling }) => {
    const { messages = [], tools = [] } = server.prompts.at(-1) ?? {};
    if (messages.some(({ role }) => role === "tool")) return { text: "It is 3." };
    if (tools.some(({ name }) => name === "json")) return { text: call("json", '{"city": "Oslo"}') };
    if (sampling?.grammar?.includes("city") === true) return { text: '{"city": "Oslo"}' };
    return {
      text: tools.length > 0 ? `<think>\nhm\n</think>\n\n${call("add", '{"a": 1, "b": 2}')}` : "Hello there.",
    };
  };
  return { server, target: listening(server.app) };
}

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const load = async (name: string): Promise<Loose> => await import(Bun.resolveSync(name, FOLDER));

beforeAll(async () => {
  await mkdir(FOLDER, { recursive: true });
  for (const file of ["package.json", "bun.lock"]) await copyFile(join(LISTED, file), join(FOLDER, file));
  const install = [process.execPath, "install", "--frozen-lockfile", "--ignore-scripts", "--silent"];
  const child = Bun.spawn(install, { cwd: FOLDER, stdio: ["ignore", "inherit", "inherit"] });
  expect(await child.exited).toBe(0);
}, 300_000);

let opened: ReturnType<typeof open>;
beforeAll(() => {
  opened = open();
});
afterAll(async () => await opened.target[Symbol.asyncDispose]());

async function gathered(stream: AsyncIterable<Loose>): Promise<Loose[]> {
  const all: Loose[] = [];
  for await (const item of stream) all.push(item);
  return all;
}

describe.each(["openai-5", "openai-6", "openai-7"])("%s", (name) => {
  const client = async (): Promise<Loose> => {
    const { default: OpenAI } = await load(name);
    return new OpenAI({ baseURL: `${opened.target.url}/v1`, apiKey: "none", maxRetries: 0 });
  };
  const user = { role: "user", content: QUESTION };
  const functionTool = { type: "function", function: { name: "add", parameters: NUMBERS } };

  const said = async (way: string, body: object): Promise<Loose> => {
    const { chat } = await client();
    const asked = { model: "local", ...body };
    if (way === "streamed") return await chat.completions.stream(asked).finalMessage();
    return (await chat.completions.create(asked)).choices[0].message;
  };

  test.each(WAYS)("chat completions: text and an object, %s", async (way) => {
    expect((await said(way, { messages: [user] })).content).toBe("Hello there.");
    const response_format = { type: "json_schema", json_schema: { name: "c", strict: true, schema: SCHEMA } };
    expect(JSON.parse((await said(way, { messages: [user], response_format })).content)).toEqual({
      city: "Oslo",
    });
  });

  test.each(WAYS)("chat completions: a tool loop, %s", async (way) => {
    const messages: Loose[] = [user];
    const first = await said(way, { messages, tools: [functionTool] });
    expect(JSON.parse(first.tool_calls[0].function.arguments)).toEqual({ a: 1, b: 2 });
    messages.push(first, { role: "tool", tool_call_id: first.tool_calls[0].id, content: "3" });
    expect((await said(way, { messages, tools: [functionTool] })).content).toBe("It is 3.");
  });

  test.each(WAYS)("responses: text, an object and a tool loop, %s", async (way) => {
    const { responses } = await client();
    const respond = async (body: object): Promise<Loose> => {
      const asked = { model: "local", ...body };
      if (way === "whole") return await responses.create(asked);
      const events = await gathered(await responses.create({ ...asked, stream: true }));
      return events.find(({ type }) => type === "response.completed").response;
    };
    const text = ({ output }: Loose): string =>
      output.find(({ type }: Loose) => type === "message").content[0].text;
    expect(text(await respond({ input: QUESTION }))).toBe("Hello there.");
    const format = { type: "json_schema", name: "c", schema: SCHEMA, strict: true };
    expect(JSON.parse(text(await respond({ input: QUESTION, text: { format } })))).toEqual({ city: "Oslo" });
    const tools = [{ type: "function", name: "add", parameters: NUMBERS, strict: false }];
    const { id, output } = await respond({ input: QUESTION, tools });
    const called = output.find(({ type }: Loose) => type === "function_call");
    const result = { type: "function_call_output", call_id: called.call_id, output: "3" };
    expect(text(await respond({ input: [result], previous_response_id: id, tools }))).toBe("It is 3.");
  });
});

describe.each(["anthropic-0-60", "anthropic-0", "anthropic-1"])("%s", (name) => {
  const said = async (way: string, body: object): Promise<Loose> => {
    const { default: Anthropic } = await load(name);
    const { messages } = new Anthropic({ baseURL: opened.target.url, apiKey: "none", maxRetries: 0 });
    const asked = { model: "local", max_tokens: 100, ...body };
    return way === "streamed" ? await messages.stream(asked).finalMessage() : await messages.create(asked);
  };
  const user = { role: "user", content: QUESTION };

  test.each(WAYS)("messages: text, an object and a tool loop, %s", async (way) => {
    const text = await said(way, { messages: [user] });
    expect(text.content).toEqual([{ type: "text", text: "Hello there." }]);
    const json = { name: "json", input_schema: SCHEMA };
    const object = await said(way, {
      messages: [user],
      tools: [json],
      tool_choice: { type: "tool", name: "json" },
    });
    expect(object.content.at(-1).input).toEqual({ city: "Oslo" });
    const tools = [{ name: "add", input_schema: NUMBERS }];
    const messages: Loose[] = [user];
    const first = await said(way, { messages, tools });
    expect(first.content.map(({ type }: Loose) => type)).toEqual(["thinking", "tool_use"]);
    const result = { type: "tool_result", tool_use_id: first.content[1].id, content: "3" };
    messages.push({ role: "assistant", content: first.content }, { role: "user", content: [result] });
    expect((await said(way, { messages, tools })).content.at(-1).text).toBe("It is 3.");
  });
});

/** Some majors make nothing until it is read. */
async function streamed({ textStream }: Loose): Promise<string> {
  return (await gathered(textStream)).join("");
}

/** The AI SDK with the providers of its time. */
const AI_SDKS = [
  { ai: "ai-4", provider: 1 },
  { ai: "ai-5", provider: 2 },
  { ai: "ai-6", provider: 3 },
  { ai: "ai-7", provider: 4 },
];
const KINDS = ["chat", "responses", "anthropic"] as const;

describe.each(AI_SDKS.flatMap((sdk) => KINDS.map((kind) => ({ ...sdk, kind }))))("$ai, $kind", (of) => {
  const model = async (): Promise<Loose> => {
    const at = { baseURL: `${opened.target.url}/v1`, apiKey: "none" };
    if (of.kind === "anthropic")
      return (await load(`ai-anthropic-${of.provider}`)).createAnthropic(at)("local");
    return (await load(`ai-openai-${of.provider}`)).createOpenAI(at)[of.kind]("local");
  };
  const options = async (): Promise<Loose> => ({ model: await model(), prompt: QUESTION, maxRetries: 0 });

  test.each(WAYS)("text, %s", async (way) => {
    const { generateText, streamText } = await load(of.ai);
    const asked = await options();
    const text = way === "whole" ? (await generateText(asked)).text : await streamed(streamText(asked));
    expect(text).toBe("Hello there.");
  });

  test.each(WAYS)("a tool loop, %s", async (way) => {
    const { generateText, streamText, jsonSchema, tool, stepCountIs } = await load(of.ai);
    const parameters = jsonSchema(NUMBERS);
    const ran: Loose[] = [];
    const execute = async (args: Loose): Promise<number> => {
      ran.push(args);
      return args.a + args.b;
    };
    const add = tool({ description: "adds", execute, parameters, inputSchema: parameters });
    const steps = of.ai === "ai-4" ? { maxSteps: 3 } : { stopWhen: stepCountIs(3) };
    const asked = { ...(await options()), tools: { add }, ...steps };
    const text = way === "whole" ? (await generateText(asked)).text : await streamed(streamText(asked));
    expect([ran, text]).toEqual([[{ a: 1, b: 2 }], "It is 3."]);
  });

  test.each(WAYS)("an object, %s", async (way) => {
    const sdk = await load(of.ai);
    const schema = sdk.jsonSchema(SCHEMA);
    const asked = { ...(await options()), schema };
    const object =
      way === "whole"
        ? (await sdk.generateObject(asked)).object
        : (await gathered(sdk.streamObject(asked).partialObjectStream)).at(-1);
    expect(object).toEqual({ city: "Oslo" });
  });
});
