/** The command with its supervisor: what kills the server costs one restart, and nobody is left behind. */
import { describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandName, type PipedCommand, pipedCommand } from "../support/Command.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const canRun = process.platform === "linux";
if (!canRun) console.warn("SKIPPED: children of a process are found in /proc");

const { path: model } = await tinyModel("lfm2");

interface Line {
  readonly msg: string;
  readonly url?: string;
  readonly signal?: string | null;
}

function lines(command: PipedCommand): Line[] {
  return command.stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

const readyLines = (command: PipedCommand): Line[] => lines(command).filter(({ msg }) => msg === "ready");

interface Supervised extends AsyncDisposable {
  readonly command: PipedCommand;
  readonly url: string;
  /** Of the process that serves now. */
  server(): number;
  /** The server has come back so many times. */
  untilBack(times: number): Promise<void>;
}

async function supervised(path: string): Promise<Supervised> {
  const flags = ["-m", path, "-t", "1", "-c", "512", "--port", "0", "--log-format", "json"];
  const command = await pipedCommand(flags, { WARMTURN_SUPERVISE: "" });
  await command.until(() => readyLines(command).length > 0);
  const [first] = readyLines(command);
  return {
    command,
    url: first?.url ?? "",
    server: () => {
      const children = readFileSync(`/proc/${command.pid}/task/${command.pid}/children`, "utf8");
      return Number(children.trim().split(" ")[0]);
    },
    untilBack: (times) => command.until(() => readyLines(command).length > times),
    [Symbol.asyncDispose]: () => command[Symbol.asyncDispose](),
  };
}

const ask = (url: string, maxTokens = 1): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Hello" }], max_tokens: maxTokens }),
  });

async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await Bun.sleep(20);
  }
  return false;
}

describe.skipIf(!canRun)(`the supervisor (${commandName})`, () => {
  test("a native fault is told in our words, and the server is back on its port", async () => {
    await using run = await supervised(model);
    const { command, url } = run;
    expect((await ask(url)).status).toBe(200);
    const before = run.server();
    process.kill(before, "SIGSEGV");
    const seen = new Set<number>();
    for (let tries = 0; readyLines(command).length < 2 && tries < 1_000; tries++) {
      const health = await fetch(`${url}/health`).catch(() => null);
      if (health?.status === 503) expect(health.headers.get("retry-after")).toBe("2");
      if (health !== null) seen.add(health.status);
      await health?.text();
      await Bun.sleep(2);
    }
    await run.untilBack(1);
    expect(seen.has(503)).toBe(true);
    expect(readyLines(command)[1]?.url).toBe(url);
    expect((await ask(url)).status).toBe(200);
    expect(run.server()).not.toBe(before);
    const crash = lines(command).find(({ signal }) => signal === "SIGSEGV");
    expect(crash?.msg).toBe(
      "The server was ended by SIGSEGV: it used memory that is not its own. It is started again now.",
    );
    expect(command.stderr).not.toContain("Bun has crashed");
    expect(await command.end("SIGTERM")).toBe(0);
  });

  test("a mapped model file that was cut costs a restart, once it is whole again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "warmturn-test-"));
    try {
      const path = join(folder, "model.gguf");
      copyFileSync(model, path);
      await using run = await supervised(path);
      truncateSync(path, 4096);
      await ask(run.url).then(
        (answer) => answer.text(),
        () => "",
      );
      await run.command.until((text) => text.includes("It is started again"));
      copyFileSync(model, path);
      await run.untilBack(1);
      expect(lines(run.command).find(({ signal }) => signal !== undefined)?.signal).toBe("SIGBUS");
      expect((await ask(run.url)).status).toBe(200);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("a supervisor that is killed leaves no server behind", async () => {
    await using run = await supervised(model);
    const server = run.server();
    await run.command.end("SIGKILL");
    const gone = await isGone(server);
    if (!gone) process.kill(server, "SIGKILL");
    expect(gone).toBe(true);
  });

  test("a hangup ends both, as every stop signal does", async () => {
    await using run = await supervised(model);
    const server = run.server();
    expect(await run.command.end("SIGHUP")).toBe(0);
    expect(await isGone(server)).toBe(true);
  });

  test("what cannot start is one sentence and is not tried again", async () => {
    await using command = await pipedCommand(["-m", "missing.gguf", "--port", "0"], {
      WARMTURN_SUPERVISE: "",
    });
    expect(await command.exited).toBe(1);
    expect(command.stderr).toStartWith("warmturn: Cannot load missing.gguf: there is no such file");
    expect(command.stderr.trim().split("\n").length).toBe(1);
  });
});
