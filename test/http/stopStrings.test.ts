/** Stop strings, as in llama-server: they are looked for in all that the model writes, its reasoning too. */
import { expect, test } from "bun:test";
import { json, postChat, streamChat } from "../support/httpClient.ts";
import { message } from "./anthropicWire.ts";
import { onEachTarget, USER } from "./targets.ts";

onEachTarget("a stop string", (open) => {
  test("ends a reply inside its reasoning", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "<think>first STOP second</think>answer" });
    const chat = await json(await postChat(opened.target, { messages: USER, stop: ["STOP"] }));
    expect(chat.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { reasoning_content: "first", content: "" },
    });
    const said = await message(opened.target, { stop_sequences: ["STOP"] });
    expect([said.stop_reason, said.stop_sequence]).toEqual(["stop_sequence", "STOP"]);
    expect(said.content).toMatchObject([{ type: "thinking", thinking: "first" }]);
  });

  test("ends a reply inside a call, which then is text or a call that was cut off", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({
      text: '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>',
    });
    const tools = [{ type: "function", function: { name: "add" } }];
    const chat = await json(await postChat(opened.target, { messages: USER, tools, stop: '"arguments"' }));
    expect(chat.choices[0].finish_reason).toBe("stop");
  });

  test("ends the count of tokens too, however far the engine ran on", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "one STOP two three", reason: "length" });
    const counted = async (body: object) => {
      const chat = await json(await postChat(opened.target, { messages: USER, ...body }));
      return [chat.usage.completion_tokens, chat.choices[0].finish_reason];
    };
    expect(await counted({ stop: ["STOP"] })).toEqual(["one STOP".length, "stop"]);
    expect(await counted({ stop: [] })).toEqual(["one STOP two three".length, "length"]);
    const streamed = await streamChat(opened.target, { messages: USER, stop: ["STOP"] });
    expect(
      streamed.some((chunk) => chunk.timings !== undefined && chunk.choices[0]?.finish_reason === null),
    ).toBe(false);
  });
});
