/** Messages that end with the assistant's: the reply goes on from it, and both together are warmed. */
import { expect, test } from "bun:test";
import type { WarmJob } from "../../src/warm/WarmJob.ts";
import { collect, json, postChat, streamChat } from "../support/httpClient.ts";
import { onEachTarget } from "./targets.ts";

const USER = { role: "user", content: "A story." };
const START = { role: "assistant", content: "Once upon" };
const CALL = { id: "c1", type: "function", function: { name: "add", arguments: "{}" } };

onEachTarget("a continued message", (open) => {
  test("the client gets what is new, white space in front included", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: " a time\n" });
    const body = { messages: [USER, START] };
    const whole = await json(await postChat(opened.target, body));
    expect(whole.choices[0].message.content).toBe(" a time");
    expect(collect(await streamChat(opened.target, body)).content).toBe(" a time");
    expect(opened.server.prompts.at(-1)?.messages.at(-1)).toMatchObject(START);
  });

  test("what is warmed is the history and the message whole", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: " a time" });
    const warmed = new Promise<WarmJob>((resolve) => {
      opened.server.onJob = resolve;
    });
    await json(await postChat(opened.target, { messages: [USER, START] }));
    const job = await warmed;
    expect(job.prompt.messages).toEqual([{ role: "user", content: "A story." }]);
    expect(job.reply).toMatchObject({ role: "assistant", content: "Once upon a time" });
  });

  test("continue_final_message false is a message of its own", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: " a time" });
    const body = { messages: [USER, START], continue_final_message: false };
    const whole = await json(await postChat(opened.target, body));
    expect(whole.choices[0].message.content).toBe("a time");
  });

  test.each([
    [{ messages: [USER], continue_final_message: true }, "continue_final_message"],
    [
      { messages: [USER, { ...START, tool_calls: [CALL] }], continue_final_message: true },
      "continue_final_message",
    ],
    [
      { messages: [USER, START], continue_final_message: true, add_generation_prompt: true },
      "add_generation_prompt",
    ],
    [{ messages: [USER, START, START] }, "messages"],
  ])("what cannot be continued is named: %#", async (body, param) => {
    await using opened = open();
    const response = await postChat(opened.target, body);
    expect(response.status).toBe(400);
    expect((await json(response)).error.param).toBe(param);
  });
});
