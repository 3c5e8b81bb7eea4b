import { describe, expect, spyOn, test } from "bun:test";
import { runCommandLine } from "../../../src/cli/commands.ts";

async function said(...argv: string[]): Promise<string> {
  const lines: string[] = [];
  const spy = spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  try {
    expect(await runCommandLine(argv, {}, "1.2.3")).toBe(0);
  } finally {
    spy.mockRestore();
  }
  return lines.join("\n");
}

const refused = async (...argv: string[]): Promise<string> => {
  const error = await runCommandLine(argv, {}, "1.2.3").catch((thrown: unknown) => thrown);
  return String(error);
};

describe("the command line", () => {
  test("--help lists commands and flags, with and without serve", async () => {
    const text = await said("--help");
    expect(text).toContain("\nCommands:\n  serve ");
    expect(text).toContain("--gpu-layers");
    expect(await said("serve", "-h")).toBe(text);
    expect(await said("-m", "x.gguf", "--help")).toBe(text);
  });

  test("--version", async () => {
    expect(await said("--version")).toBe("1.2.3");
  });

  test("flags may stand behind serve", async () => {
    expect(await refused("serve", "--prot", "1")).toBe(
      "ConfigError: There is no flag --prot. Did you mean --port?",
    );
  });

  test.each([
    ["sevre", "There is no command sevre. Did you mean serve?"],
    ["a/model.gguf", "There is no command a/model.gguf. Did you mean -m a/model.gguf?"],
    ["frobnicate", "There is no command frobnicate. Commands are serve"],
  ])("%s is no command", async (name, says) => {
    expect(await refused(name)).toStartWith(`ConfigError: ${says}`);
  });
});
