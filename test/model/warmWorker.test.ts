/**
 * The real warm Worker on a real vocabulary: it plans what the same code plans here, and its plan is a prefix of
 * the next request's. A model that is none turns warming off with a sentence.
 */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { canonicalMessages } from "../../src/chat/canonical.ts";
import type { PromptInput } from "../../src/chat/Message.ts";
import { replyMessage } from "../../src/chat/replyMessage.ts";
import { parseJson } from "../../src/json/parseJson.ts";
import { requestChunks } from "../../src/plan/requestChunks.ts";
import { Prompter } from "../../src/prompt/Prompter.ts";
import { planJob } from "../../src/warm/planJob.ts";
import type { WarmCommand, WarmEvent, WarmJob, WarmSettings } from "../../src/warm/WarmJob.ts";
import { workerLink } from "../../src/warm/workerLink.ts";

const modelPath = join(import.meta.dir, "../../models/demo/demo.gguf");

/** Events in order, for tests that await the next one. */
function openWorker() {
  const events: WarmEvent[] = [];
  const waiting: ((event: WarmEvent) => void)[] = [];
  const link = workerLink()(
    (event) => {
      const next = waiting.shift();
      if (next === undefined) events.push(event);
      else next(event);
    },
    (message) => {
      throw new Error(message);
    },
  );
  const next = (): Promise<WarmEvent> => {
    const event = events.shift();
    return event === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(event);
  };
  const post = (command: WarmCommand): void => link.post(command);
  afterAll(() => link.end());
  return { post, next };
}

function read(messages: readonly object[]): PromptInput {
  return {
    messages: canonicalMessages(parseJson(JSON.stringify(messages)), []),
    tools: [],
    kwargs: new Map([["enable_thinking", true]]),
  };
}

test("plans as the request path does, in order, and drops what has moved on", async () => {
  const backend = Backend.open();
  const model = Model.load(backend, { path: modelPath, vocabOnly: true });
  const template = model.chatTemplate() ?? "";
  const prompter = new Prompter({ template, vocab: model.vocab });
  const { openers, userOpeners, otherOpeners } = prompter;
  const rules = {
    openers,
    userOpeners,
    otherOpeners,
    chunkTokensMin: 16,
    chunkTokensMax: 64,
    tripTokensMin: 0,
  };
  const settings: WarmSettings = {
    modelPath,
    libraryPath: backend.library.path,
    shimPath: null,
    template,
    toolUseTemplate: model.chatTemplate("tool_use"),
    rules,
  };
  const asked = [
    { role: "system", content: "You are a careful assistant of a small library by the sea. ".repeat(4) },
    {
      role: "user",
      content: "Which books do you have about the weather, and which of them are short? ".repeat(2),
    },
  ];
  const parts = {
    reasoning: "\nThey want short books about the weather.\n",
    text: `\n\n${"There is a short book about clouds, and another about the wind. ".repeat(3)}\n`,
    calls: [],
  };
  const job = (id: string): WarmJob => ({
    conversation: { id, turn: 1 },
    tenant: "",
    seed: 5n,
    prompt: read(asked),
    reply: replyMessage(parts),
    habits: { reasoning: "unknown", numbers: "unknown" },
  });

  const { post, next } = openWorker();
  post({ type: "start", settings });
  for (const id of ["a", "b", "c"]) post({ type: "job", job: job(id) });
  post({ type: "drop", conversation: "b" });
  const events = [await next(), await next(), await next(), await next()];
  expect(events.map((event) => event.type).sort()).toEqual(["ready", "runs", "runs", "skipped"]);
  const planned = events.flatMap((event) => (event.type === "runs" ? [event] : []));
  expect(planned.map((event) => event.conversation.id)).toEqual(["a", "c"]);
  expect(planned[0]?.runs).toEqual([...planJob(job("a"), prompter, rules).runs]);

  const echoed = [
    { role: "assistant", content: replyMessage(parts).content },
    { role: "user", content: [{ type: "text", text: "The one about clouds, please." }] },
  ];
  const after = prompter.tokens(read([...asked, ...echoed]), { addGenerationPrompt: true }).tokens;
  const plan = requestChunks(after, rules, 5n);
  const resumed = Math.max(
    0,
    ...(planned[0]?.runs ?? []).map((run) => {
      const last = run.plan.keys.length - 1;
      return plan.keys[last] === run.plan.keys[last] ? (run.plan.cuts[last] ?? 0) : 0;
    }),
  );
  const before = prompter.tokens(read(asked), { addGenerationPrompt: true }).tokens.length;
  expect(resumed).toBeGreaterThan(before);
  model.close();
  backend.close();
});

test("a model that cannot be loaded turns warming off, with the reason", async () => {
  const backend = Backend.open();
  const { post, next } = openWorker();
  const rules = { openers: [], userOpeners: [], chunkTokensMin: 16, chunkTokensMax: 64, tripTokensMin: 0 };
  const libraryPath = backend.library.path;
  const settings = {
    modelPath: "no-such-model.gguf",
    libraryPath,
    shimPath: null,
    template: "",
    toolUseTemplate: null,
    rules,
  };
  post({ type: "start", settings });
  const event = await next();
  expect(event.type === "off" ? event.why : event.type).toContain("no-such-model.gguf");
  backend.close();
});
