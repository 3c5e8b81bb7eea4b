/** The packages for npm, packed, installed from their tarballs into an empty folder and used as a person would. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "warmturn-npm-"));
const home = join(folder, "home");
const BUILD_MS_MAX = 300_000;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function done(command: readonly string[], cwd: string): Promise<string> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    npm_config_fund: "false",
    npm_config_audit: "false",
  };
  const child = Bun.spawn([...command], { cwd, env, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")}: exit ${code}\n${out}${err}`);
  return out;
}

test.skipIf(process.platform === "win32" || Bun.which("npm") === null)(
  "installed by npm on a machine with Node alone, it serves the demo model",
  async () => {
    const target = `${process.platform}-${process.arch}`;
    await done([process.execPath, "scripts/npmPackages.ts", target], ROOT);
    const packed = join(ROOT, "dist", "npm");
    const tarballs = readdirSync(packed).filter((name) => name.endsWith(".tgz"));
    expect(tarballs).toHaveLength(2);
    await done(["npm", "init", "-y"], folder);
    // As npm would choose them: the other platforms' packages are left out.
    await done(
      ["npm", "install", "--no-save", "--omit=optional", ...tarballs.map((name) => join(packed, name))],
      folder,
    );
    const warmturn = join(folder, "node_modules", ".bin", "warmturn");
    expect(await done([warmturn, "version"], folder)).toMatch(/^warmturn +\d/);

    const port = 20_000 + (process.pid % 20_000);
    const env = { PATH: process.env["PATH"] ?? "", HOME: home };
    const server = Bun.spawn([warmturn, "--port", String(port)], {
      cwd: folder,
      env,
      stdout: "ignore",
      stderr: "ignore",
    });
    try {
      const health = [warmturn, "health", "--port", String(port)];
      const isReady = async () => (await Bun.spawn(health, { env, stdout: "ignore" }).exited) === 0;
      for (let tries = 0; !(await isReady()); tries++) {
        if (tries > 100) throw new Error("the server does not get ready");
        await Bun.sleep(200);
      }
      const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          model: "demo",
          messages: [{ role: "user", content: "hello" }],
          max_tokens: 8,
        }),
      });
      expect(answer.status).toBe(200);
    } finally {
      // The launcher hands the signal on, and ends as the server does.
      server.kill("SIGTERM");
      expect(await server.exited).toBe(0);
    }
  },
  BUILD_MS_MAX,
);
