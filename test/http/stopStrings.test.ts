/** Stop strings of messages bind the answer alone; those of `/completion`, llama-server's own, all that is written. */
import { expect, test } from "bun:test";
import { json, postChat, streamChat } from "../support/httpClient.ts";
import { message } from "./anthropicWire.ts";
import { onEachTarget, USER } from "./targets.ts";

onEachTarget("a stop string", (open) => {
  test("binds the answer alone: not the reasoning, nor the line break behind it", async () => {
    await using opened = open();
    opened.server.engine.script = () => ({ text: "<think>\nfirst STOP\nsecond\n</think>\n\none STOP\ntwo" });
    for (const [stop, content] of [
      ["STOP", "one"],
      ["\n", "one STOP"],
      ["\n\none", ""],
      ["second", "one STOP\ntwo"],
    ]) {
      const chat = await json(await postChat(opened.target, { messages: USER, stop: [stop] }));
      expect(chat.choices[0]).toMatchObject({
        finish_reason: "stop",
        message: { reasoning_content: "first STOP\nsecond", content },
      });
    }
    const said = await message(opened.target, { stop_sequences: ["STOP"] });
    expect([said.stop_reason, said.stop_sequence]).toEqual(["stop_sequence", "STOP"]);
    expect(said.content).toMatchObject([
      { type: "thinking", thinking: "first STOP\nsecond" },
      { text: "one" },
    ]);
  });

  test("binds no call: its line breaks and braces end nothing", async () => {
    await using opened = open();
    const call = '<tool_call>\n{"name": "add", "arguments": {"a": "x\\n STOP"}}\n</tool_call>';
    const tools = [{ type: "function", function: { name: "add" } }];
    for (const text of [call, `Well.${call}`, `<think>hm</think>\n\n${call}`]) {
      opened.server.engine.script = () => ({ text });
      for (const stop of ["\n", "}", "STOP", '"arguments"', "<tool"]) {
        const chat = await json(await postChat(opened.target, { messages: USER, tools, stop }));
        const [{ message: got, finish_reason }] = chat.choices;
        expect([stop, finish_reason, got.tool_calls?.length]).toEqual([stop, "tool_calls", 1]);
      }
    }
  });

  test("that begins in front of a call and is not completed is text", async () => {
    await using opened = open();
    const call = '<tool_call>\n{"name": "add", "arguments": {}}\n</tool_call>';
    opened.server.engine.script = () => ({ text: `Well ST${call}` });
    const tools = [{ type: "function", function: { name: "add" } }];
    const chat = await json(await postChat(opened.target, { messages: USER, tools, stop: "STOP" }));
    expect(chat.choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: "Well ST" } });
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
