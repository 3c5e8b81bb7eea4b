/** `pull`, `models` and `-m hf:…` as commands, against a hub on this machine: killed, two at once, offline. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  commandName,
  type Ended,
  PROGRAM,
  runCommand,
  serveCommand,
  startCommand,
  terminalCommand,
} from "../support/Command.ts";
import { FakeHub } from "../support/FakeHub.ts";
import { get, json } from "../support/httpClient.ts";
import { screenText } from "../support/screenText.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const REPO = "owner/Model-GGUF";
const NAME = "m-Q4_K_M.gguf";
const SIZE = 2_000_000;
const AT_40 = SIZE * 0.4;

describe(`models by name (${commandName})`, () => {
  let hub: FakeHub;
  let home: string;
  const env = (): Record<string, string> => ({ HF_ENDPOINT: hub.endpoint, WARMTURN_HOME: home });
  const run = async (...args: string[]): Promise<Ended> => await runCommand(args, env());
  const path = (): string => join(home, "models", REPO, NAME);

  beforeEach(async () => {
    hub = await FakeHub.start();
    home = await mkdtemp(join(tmpdir(), "warmturn-home-"));
  });

  afterEach(async () => {
    await hub[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  });

  test("pull says where the file is; a second one has nothing to do", async () => {
    const bytes = hub.add(NAME, SIZE);
    const first = await run("pull", `hf:${REPO}`);
    expect(first).toMatchObject({ code: 0, stdout: `${path()}\n` });
    expect(first.stderr).toStartWith(`${NAME}: 2.00 MB\n`);
    expect(first.stderr).toEndWith(
      `${NAME}: 2.00 MB, whole and checked\nhf:${REPO}:Q4_K_M is here now, 2.00 MB: ${PROGRAM} -m hf:${REPO}:Q4_K_M\n`,
    );
    expect(readFileSync(path()).equals(bytes)).toBe(true);
    const second = await run("pull", REPO);
    expect(second.stderr).toBe(
      `hf:${REPO}:Q4_K_M was here already, 2.00 MB: ${PROGRAM} -m hf:${REPO}:Q4_K_M\n`,
    );
  });

  test("a pull that was killed goes on where it was, to the same bytes", async () => {
    const bytes = hub.add(NAME, SIZE);
    hub.fileFaults.push({ kind: "hold", at: AT_40 });
    const killed = startCommand(["pull", REPO], env());
    await killed.says(": 40 %");
    killed.end("SIGKILL");
    expect((await killed.ended).code).not.toBe(0);
    expect(readdirSync(join(home, "models", REPO))).toEqual([".parts"]);
    const list = await run("models", "--json");
    expect(JSON.parse(list.stdout)).toMatchObject({ models: [], unfinished: [{ bytes: AT_40, size: SIZE }] });
    const again = await run("pull", REPO);
    expect([again.code, again.stdout]).toEqual([0, `${path()}\n`]);
    expect(again.stderr).toStartWith(`${NAME}: going on at 800 kB of 2.00 MB\n`);
    expect(hub.ranges).toEqual([undefined, `bytes=${AT_40}-`]);
    expect(readFileSync(path()).equals(bytes)).toBe(true);
  });

  test("Ctrl-C keeps what is there, and says so", async () => {
    hub.add(NAME, SIZE);
    hub.fileFaults.push({ kind: "hold", at: AT_40 });
    const stopped = startCommand(["pull", REPO], env());
    await stopped.says(": 40 %");
    stopped.end("SIGINT");
    const { code, stderr } = await stopped.ended;
    expect([code, stderr]).toEqual([
      130,
      expect.stringMatching(/\nStopped; the same command goes on from here\.\n$/),
    ]);
    expect(readdirSync(join(home, "models", REPO))).toEqual([".parts"]);
  });

  test.skipIf(process.platform === "win32")("Ctrl-C on a terminal says the same, below the bar", async () => {
    hub.add(NAME, SIZE);
    hub.fileFaults.push({ kind: "hold", at: AT_40 });
    await using stopped = await terminalCommand(["-m", `hf:${REPO}`], env());
    await stopped.until("of 2.00 MB");
    expect(await stopped.end("SIGINT")).toBe(130);
    expect(screenText(stopped.screen)).toMatch(
      /^Stopped; the same command goes on from here\.\n.* of 2\.00 MB.*\n$/,
    );
  });

  test("of two at once the second waits for the first, and goes on where that was killed", async () => {
    const bytes = hub.add(NAME, SIZE);
    hub.fileFaults.push({ kind: "hold", at: AT_40 });
    const first = startCommand(["pull", REPO], env());
    await first.says(": 40 %");
    const second = startCommand(["pull", REPO], env());
    await second.says(`Another warmturn is fetching from ${REPO}; waiting until it is done.`);
    const removing = await run("models", "rm", REPO);
    expect(removing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is being fetched right now"),
    });
    first.end("SIGKILL");
    await first.ended;
    expect((await second.ended).code).toBe(0);
    expect(hub.ranges).toEqual([undefined, `bytes=${AT_40}-`]);
    expect(readFileSync(path()).equals(bytes)).toBe(true);
  });

  test("models lists, and removes", async () => {
    expect((await run("models")).stdout).toBe(
      `No model is here yet; ${PROGRAM} pull hf:OWNER/REPO fetches one.\n`,
    );
    hub.add(NAME, SIZE);
    await run("pull", REPO);
    const { stdout } = await run("models");
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["NAME", "QUANT", "SIZE", "PATH"],
      [`hf:${REPO}:Q4_K_M`, "Q4_K_M", "2.00 MB", path()],
      [""],
    ]);
    expect(await run("models", "rm", `${REPO}:q4_k_m`)).toMatchObject({
      code: 0,
      stdout: `Removed hf:${REPO}:Q4_K_M: 2.00 MB are free again.\n`,
    });
    expect(JSON.parse((await run("models", "--json")).stdout)).toEqual({ models: [], unfinished: [] });
  });

  test("-m hf:… fetches, then serves without a network", async () => {
    hub.files.set("tiny-Q8_0.gguf", readFileSync((await tinyModel("qwen3")).path));
    const start = ["-t", "1", "-np", "1", "-c", "2048"];
    for (const args of [
      ["-m", `hf:${REPO}`],
      ["-hf", `${REPO}:q8_0`],
    ]) {
      await using server = await serveCommand([...args, ...start], env());
      expect((await json(await get(server, "/v1/models"))).data[0].id).toBe("tiny-Q8_0");
      await hub[Symbol.asyncDispose]();
    }
  });

  test("what cannot be done is one sentence and exit code 1", async () => {
    hub.add(NAME, SIZE, "<htm");
    hub.add("m-Q8_0.gguf", SIZE);
    hub.fileFaults.push({ kind: "wrong" });
    const cases: [string[], string][] = [
      [["pull", `${REPO}:Q8_0`], "does not have the SHA-256 that the hub's list says"],
      [["pull", REPO], "is no GGUF file"],
      [["-m", `hf:${REPO}:Q2_K`, "--log-level", "silent"], `${REPO} has no Q2_K; it has Q4_K_M, Q8_0.`],
      [["pull", "owner/other"], "There is no owner/other on"],
      [["pull", "owner"], "is no model's name"],
      [["pull"], "No model is named"],
      [["pull", REPO, "more"], "Not understood: more."],
      [["models", "rm"], "No model is named"],
      [["models", "remove"], "Not understood: remove."],
      [["models", "rm", REPO], `hf:${REPO} is not here. No model is.`],
      [["-m", "owner/other"], "Did you mean -m hf:owner/other?"],
      [["-m", "x.gguf", "-hf", REPO], "--model and --hf-repo both name a model"],
    ];
    for (const [args, says] of cases) {
      const ended = await run(...args);
      const last = ended.stderr.trim().split("\n").at(-1) ?? "";
      expect([args, ended.code, last]).toEqual([args, 1, expect.stringMatching(/^warmturn: /)]);
      expect(last).toContain(says);
    }
    await hub[Symbol.asyncDispose]();
    const offline = await run("pull", REPO);
    expect([offline.code, offline.stderr]).toEqual([1, expect.stringContaining("cannot be reached")]);
    expect(JSON.parse((await run("models", "--json")).stdout)).toEqual({ models: [], unfinished: [] });
  }, 30_000);

  test("each command has its own help", async () => {
    for (const name of ["pull", "models"]) {
      const { code, stdout } = await run(name, "--help");
      expect([code, stdout.startsWith(`Usage: warmturn ${name} `)]).toEqual([0, true]);
    }
    expect((await run("--help")).stdout).toContain("\n  pull ");
  });
});
