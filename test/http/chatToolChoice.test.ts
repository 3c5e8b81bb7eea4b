/** `tool_choice` of chat completions beyond the plain words: allowed tools, and a function without its wrapping. */
import { expect, test } from "bun:test";
import { json, type Loose, postChat } from "../support/httpClient.ts";
import { type Opened, onEachTarget, USER } from "./targets.ts";

const tool = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
const TOOLS = ["add", "sub", "mul"].map(tool);
const allowed = (mode: string, ...tools: object[]) => ({
  type: "allowed_tools",
  allowed_tools: { mode, tools },
});

async function ask({ server, target }: Opened, tool_choice: unknown): Promise<Loose> {
  const response = await postChat(target, { messages: USER, tools: TOOLS, tool_choice });
  expect([response.status, await json(response)]).toMatchObject([200, {}]);
  return {
    shown: server.prompts.at(-1)?.tools.map(({ name }) => name),
    ...server.engine.runs.at(-1)?.spec.sampling,
  };
}

onEachTarget("tool_choice", (open) => {
  test("of allowed tools shows all and lets those alone be called", async () => {
    await using opened = open();
    const { shown, grammar, grammarTrigger } = await ask(opened, allowed("auto", tool("mul"), tool("add")));
    expect(shown).toEqual(["add", "sub", "mul"]);
    expect(grammar).not.toContain('"sub"');
    expect(grammarTrigger.text).toBe("<tool_call>");
  });

  test("of allowed tools, one of them required", async () => {
    await using opened = open();
    const flat = { type: "function", name: "sub" };
    const { shown, grammar, grammarTrigger } = await ask(opened, allowed("required", flat));
    expect(shown).toEqual(["add", "sub", "mul"]);
    expect(grammar).not.toContain('"mul"');
    expect(grammar).toContain('"sub"');
    expect(grammarTrigger).toBeUndefined();
  });

  test("by a flat name is that of the wrapped one", async () => {
    await using opened = open();
    const wrapped = await ask(opened, { type: "function", function: { name: "sub" } });
    const flat = await ask(opened, { type: "function", name: "sub" });
    expect(flat).toEqual({ ...wrapped, seed: flat.seed });
    expect(flat.shown).toEqual(["add", "sub", "mul"]);
  });
});
