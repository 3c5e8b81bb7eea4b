/** The command over a real model: from source, or the executable where WARMTURN_TEST_BINARY names it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { version } from "../../package.json";
import { commandName, runCommand, type ServedCommand, serveCommand } from "../support/Command.ts";
import { fakeServer } from "../support/FakeServer.ts";
import { collect, get, inProcess, json, postChat, streamChat } from "../support/httpClient.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";
import { BAD_BODIES } from "./badBodies.ts";
import { ADD_TOOL, USER } from "./targets.ts";

const CALL = '<tool_call>\\n{\\"name\\": \\"add\\", \\"arguments\\": {\\"a\\": 1.0}}\\n</tool_call>';

describe(`the command (${commandName})`, () => {
  let server: ServedCommand;
  let folder: string;
  let model: string;

  beforeAll(async () => {
    model = (await tinyModel("qwen3")).path;
    folder = await mkdtemp(join(tmpdir(), "warmturn-test-"));
    server = await serveCommand(["-m", model, "-t", "1", "-np", "1", "-c", "8192", "--alias", "tiny"]);
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test("health and models", async () => {
    expect(await json(await get(server, "/health"))).toEqual({ status: "ok", warm: "idle" });
    expect((await json(await get(server, "/v1/models"))).data[0].id).toBe("tiny");
  });

  test("its documentation, out of itself", async () => {
    const document = await json(await get(server, "/openapi.json"));
    expect(document).toEqual(await json(await get(inProcess(fakeServer().app), "/openapi.json")));
    expect(await (await get(server, "/docs")).text()).toContain("<code>POST /v1/chat/completions</code>");
  });

  test.each(BAD_BODIES)("$name is a 400", async ({ body, field, says }) => {
    const response = await postChat(server, body);
    const { error } = await json(response);
    expect([response.status, error.type, error.param]).toEqual([400, "invalid_request_error", field]);
    expect(error.message).toContain(says);
  });

  test.each(["root ::= (", 'foo ::= "x"', "root ::= root"])("the grammar %p is a 400", async (grammar) => {
    for (const stream of [true, false]) {
      const response = await postChat(server, { messages: USER, grammar, stream });
      expect([response.status, (await json(response)).error.code]).toEqual([400, "invalid_grammar"]);
    }
  });

  test("an over-long prompt is a 400", async () => {
    const content = "x ".repeat(20_000);
    const response = await postChat(server, { messages: [{ role: "user", content }] });
    const { error } = await json(response);
    expect([response.status, error.code]).toEqual([400, "context_length_exceeded"]);
    expect(error.message).toContain("> 8191 maximum");
  });

  test("the stream, collected, is the whole answer", async () => {
    const body = { messages: USER, temperature: 0, max_tokens: 24, tools: [ADD_TOOL] };
    const whole = await json(await postChat(server, body));
    const all = collect(await streamChat(server, { ...body, stream_options: { include_usage: true } }));
    expect(all.content).toBe(whole.choices[0].message.content ?? "");
    expect(all.reasoning).toBe(whole.choices[0].message.reasoning_content ?? "");
    expect(all.finishes).toEqual([whole.choices[0].finish_reason]);
    expect(all.usage.completion_tokens).toBe(whole.usage.completion_tokens);
  });

  test("a call that a grammar forces", async () => {
    const body = { messages: USER, tools: [ADD_TOOL], grammar: `root ::= "${CALL}"` };
    const [choice] = (await json(await postChat(server, body))).choices;
    expect(choice.finish_reason).toBe("tool_calls");
    expect(choice.message.tool_calls[0].function).toEqual({ name: "add", arguments: '{"a": 1.0}' });
  });

  test("a client that leaves frees its lane", async () => {
    const leaving = new AbortController();
    const endless = { messages: USER, ignore_eos: true, temperature: 0, stream: true };
    const response = await postChat(server, endless, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    const next = await json(await postChat(server, { messages: USER, max_tokens: 1 }));
    expect(next.usage.completion_tokens).toBe(1);
    // The endless one would have held the only lane for many seconds.
    expect(next.warmturn.queued_ms).toBeLessThan(2000);
  });

  test("a port in use", async () => {
    const port = new URL(server.url).port;
    const ended = await runCommand(["-m", model, "--port", port]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toBe(
      `warmturn: Port ${port} on 127.0.0.1 is in use already; choose another with --port.\n`,
    );
  });

  test("what cannot start is one sentence and exit code 1", async () => {
    const cut = join(folder, "cut.gguf");
    const file = Bun.file(model);
    await Bun.write(cut, await file.slice(0, Math.floor(file.size / 2)).arrayBuffer());
    const noGguf = join(folder, "no.gguf");
    await Bun.write(noGguf, "this is no model");
    const template = join(folder, "bad.jinja");
    await Bun.write(template, "{% if %}");
    const missing = join(folder, "missing.gguf");
    const cases: [string[], string][] = [
      [["-m", missing], "there is no such file"],
      [["-m", noGguf], "not a GGUF model file"],
      [["-m", cut], "incomplete"],
      [["-m", model, "--chat-template-file", template], "template"],
      [["-m", model, "--llama-lib", missing], "--llama-lib"],
      [["--prot", "1"], "Did you mean --port?"],
      [["-m", model, "-ot", ".*=NOPE"], "--override-tensor places .* in NOPE; allowed here is CPU"],
    ];
    for (const [args, says] of cases) {
      const ended = await runCommand([...args, ...(args[0] === "--prot" ? [] : ["--port", "0"])]);
      expect([args, ended.code]).toEqual([args, 1]);
      expect(ended.stderr).toStartWith("warmturn: ");
      expect(ended.stderr).toContain(says);
      expect(ended.stderr.trim().split("\n").length).toBe(1);
    }
  }, 30_000);

  test("an environment value that cannot be read", async () => {
    const ended = await runCommand(["-m", model], { WARMTURN_PORT: "http" });
    expect([ended.code, ended.stderr]).toEqual([
      1,
      'warmturn: The environment variable WARMTURN_PORT is "http"; allowed is a whole number from 0 to 65535.\n',
    ]);
  });

  test("help and version", async () => {
    expect(await runCommand(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n` });
    const help = await runCommand(["--help"]);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain("--gpu-layers");
  });

  test("a stop signal lets the running reply end, then exits with 0", async () => {
    await using other = await serveCommand(["-m", model, "-t", "1", "-c", "4096"]);
    const running = postChat(other, { messages: USER, ignore_eos: true, max_tokens: 200, stream: true });
    const response = await running;
    // As one key press comes through npx: from the terminal, and again from each program in front of this one.
    void other.end("SIGINT");
    const code = other.end("SIGTERM");
    const text = await response.text().catch(String);
    expect(text).toEndWith("data: [DONE]\n\n");
    expect(await code).toBe(0);
  });
});

describe(`the openai package where no model is named (${commandName})`, () => {
  const tool: OpenAI.Chat.Completions.ChatCompletionTool = {
    type: "function",
    function: {
      name: "get_weather",
      parameters: { type: "object", properties: { city: { type: "string" } } },
    },
  };

  test("completes a tool loop, streamed and not", async () => {
    await using server = await serveCommand(["-t", "1"]);
    expect((await json(await get(server, "/v1/models"))).data[0].id).toBe("demo");
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
    for (const stream of [true, false]) {
      const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [
        { role: "user", content: "What is the weather in Oslo?" },
      ];
      const body = { model: "local", messages, tools: [tool], temperature: 0 };
      const ask = async (): Promise<OpenAI.Chat.Completions.ChatCompletionMessage | undefined> =>
        stream
          ? await client.chat.completions.stream(body).finalMessage()
          : (await client.chat.completions.create(body)).choices[0]?.message;
      const first = await ask();
      const call = first?.tool_calls?.[0];
      if (first === undefined || call?.type !== "function") throw new Error("no call");
      expect(call.function).toMatchObject({ name: "get_weather", arguments: '{"city": "Oslo"}' });
      messages.push(first, { role: "tool", tool_call_id: call.id, content: '{"temperature": 21}' });
      const second = await ask();
      expect(second?.tool_calls ?? []).toEqual([]);
      expect(second?.content).toContain("21");
    }
  });
});
