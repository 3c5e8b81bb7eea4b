/** The command on a pseudo-terminal: a bar, then a screen whose `curl` line is answered. */
import { describe, expect, test } from "bun:test";
import { commandName, terminalCommand } from "../support/Command.ts";
import { screenText } from "../support/screenText.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const canRun = process.platform !== "win32" && Bun.which("curl") !== null;
if (!canRun) console.warn("SKIPPED: the start on a terminal needs a pseudo-terminal and curl");

describe.skipIf(!canRun)(`the start on a terminal (${commandName})`, () => {
  test("a bar, then a screen whose curl line is answered", async () => {
    const { path } = await tinyModel("lfm2");
    const args = ["-m", path, "-t", "1", "-c", "512", "--alias", "tiny", "--port", "0"];
    await using command = await terminalCommand(args);
    await command.until("chat --url");
    expect(command.screen).toContain("loading tiny");
    const screen = screenText(command.screen);
    expect(screen).toStartWith("warmturn ");
    expect(screen).toContain("hybrid: goes back to snapshots");
    expect(screen).toContain("512 tokens a conversation, 2 replies at a time");
    const [curl = ""] = /^curl (?:.*\\\n)*.*/m.exec(screen) ?? [];
    const run = Bun.spawn(["sh", "-c", curl], { stdio: ["ignore", "pipe", "ignore"] });
    expect(await new Response(run.stdout).json()).toMatchObject({ object: "chat.completion", model: "tiny" });
    expect(await command.end("SIGINT")).toBe(0);
    expect(command.screen.split("stopping").length).toBe(2);
  });

  test("what cannot start leaves no bar behind", async () => {
    await using command = await terminalCommand(["-m", "missing.gguf", "--port", "0"]);
    expect(await command.exited).toBe(1);
    expect(command.screen).toContain("loading missing");
    expect(screenText(command.screen)).toBe(
      "warmturn: Cannot load missing.gguf: there is no such file; name the whole GGUF file of a model, or one of a hub as hf:OWNER/REPO.\n",
    );
  });

  test("with --log-format json there are lines only", async () => {
    const { path } = await tinyModel("lfm2");
    const args = ["-m", path, "-t", "1", "-c", "4096", "--port", "0", "--log-format", "json"];
    await using command = await terminalCommand(args);
    await command.until('"msg":"ready"');
    const lines = command.screen
      .trim()
      .split("\r\n")
      .map((line) => JSON.parse(line).msg);
    expect([lines[0], lines.at(-1)]).toEqual(["loading", "ready"]);
  });
});
