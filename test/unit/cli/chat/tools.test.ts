/** The demo tools: the same answer to the same question, and a result whatever the model calls. */
import { describe, expect, test } from "bun:test";
import { ChatTools } from "../../../../src/cli/chat/ChatTools.ts";
import { calculate } from "../../../../src/cli/chat/calculate.ts";
import { DEMO_TOOLS } from "../../../../src/cli/chat/demoTools.ts";
import type { ToolCall } from "../../../../src/cli/chat/wireMessages.ts";

const tools = new ChatTools(DEMO_TOOLS);

function call(name: string, written: string): ToolCall {
  return { id: "call_1", type: "function", function: { name, arguments: written } };
}

describe("calls", () => {
  test.each([
    ["calculate", '{"expression": "12 * 7"}', '{"result": 84}'],
    ["calculate", '{"expression": 5}', '{"result": 5}'],
    ["calculate", '{"expression": "12 *"}', '{"error": "a number is missing"}'],
    ["search_files", '{"query": "Budget"}', '{"files": ["notes/meeting.md"]}'],
    [
      "read_file",
      '{"path": "notes/shopping.txt"}',
      '{"path": "notes/shopping.txt", "content": "bread, butter, 2 lemons, coffee"}',
    ],
    ["read_file", '{"path": "constructor"}', '{"error": "no such file"}'],
    ["read_file", '{"file": "a"}', '{"error": "the argument path is missing"}'],
    ["read_file", "{", '{"error": "the argument path is missing"}'],
    ["rm", "{}", '{"error": "there is no tool rm"}'],
  ])("%s %s", (name, written, result) => {
    expect(tools.run(call(name, written))).toBe(result);
  });

  test("the weather of a city stays", () => {
    const weather = (city: string): string => tools.run(call("get_weather", JSON.stringify({ city })));
    expect(weather("Oslo")).toBe(weather("Oslo"));
    expect(JSON.parse(weather("Oslo"))).toEqual({
      city: "Oslo",
      temperature: expect.any(Number),
      sky: expect.any(String),
    });
  });

  test("each is told to the model with all its arguments", () => {
    for (const { function: told } of tools.specs) {
      expect(told.parameters).toMatchObject({ type: "object", required: expect.any(Array) });
      expect(told.description).not.toBe("");
    }
    expect(tools.names).toEqual(["get_weather", "calculate", "search_files", "read_file"]);
  });
});

describe("sums", () => {
  test.each([
    ["1 + 2 * 3", 7],
    ["(1+2)*3", 9],
    ["10 / 4", 2.5],
    ["10 / 3", 3.33],
    ["2 ^ 3 ^ 2", 512],
    ["-2 ^ 2", -4],
    ["- (3 - 5)", 2],
    ["7 % 4", 3],
    [".5 + 1.25", 1.75],
  ])("%s", (text, value) => {
    expect(calculate(text)).toBe(value);
  });

  test.each([
    "",
    "1 +",
    "(1",
    "1 2",
    "1)",
    "two",
    "1 / 0",
    "process.exit(1)",
    "9^9^9",
    `${"(".repeat(2000)}1`,
  ])("%s is an error", (text) => {
    expect(() => calculate(text)).toThrow();
  });
});
