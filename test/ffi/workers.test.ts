/** Several threads over one library: opened at once, each its own models; a Worker that ends leaves the log alive. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Model } from "../../ffi/Model.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";
import { openBackend } from "./rig.ts";

const SCRIPT = join(import.meta.dir, "openInWorkers.ts");

describe.skipIf(openBackend() === null)("workers", () => {
  test("threads that open at once all load, fail in words of their own, and end", async () => {
    const { path } = await tinyModel("lfm2");
    const cut = join(tmpdir(), `warmturn-cut-${process.pid}.gguf`);
    const bytes = Buffer.from(await Bun.file(path).arrayBuffer());
    writeFileSync(cut, bytes.subarray(0, bytes.length - 1000));
    /* In a process of its own: there no thread has opened the library before the Workers do. */
    const run = Bun.spawnSync([process.execPath, SCRIPT, path, cut]);
    await Bun.file(cut).delete();
    expect(run.stderr.toString()).toBe("");
    const lines = run.stdout.toString().trim().split("\n");
    expect(lines).toHaveLength(9);
    expect(new Set(lines).size).toBe(1);
    expect(lines[0]).toContain("is not within the file bounds");
    expect(run.exitCode).toBe(0);
  });

  test("two models in one thread are independent", async () => {
    const backend = openBackend();
    if (!backend) return;
    using one = Model.load(backend, { path: (await tinyModel("qwen3")).path, vocabOnly: true });
    const two = Model.load(backend, { path: (await tinyModel("mamba2")).path });
    two.close();
    expect(one.architecture).toBe("qwen3");
  });
});
