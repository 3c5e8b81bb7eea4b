/** Models on the disk: too little room, folders that cannot be used, removing. */
import { describe, expect, test } from "bun:test";
import { readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseModelName } from "../../../src/hub/ModelName.ts";
import { realDisk } from "../../../src/hub/PartFile.ts";
import { removeModel } from "../../../src/hub/removeModel.ts";
import { PullRig } from "../../support/PullRig.ts";

const REPO = "owner/Model-GGUF";
const NAME = "m-Q4_K_M.gguf";
/** More than one piece of a connection. */
const SIZE = 300_000;
const AT_40 = SIZE * 0.4;

const parts = (rig: PullRig): readonly string[] => rig.files().filter((path) => path.includes("/.parts/"));

describe("the disk", () => {
  test("too little room is said before anything is fetched", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    const { code, message } = await rig.refused(REPO, {}, { freeBytes: () => SIZE - 1 });
    expect([code, rig.hub.ranges, rig.files()]).toEqual(["disk-full", [], []]);
    expect(message).toContain(`is full: 1 B are lacking for hf:${REPO}:Q4_K_M; make room`);
  });

  test("what is there already needs no room", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push({ kind: "drop", at: AT_40 });
    await rig.refused(REPO, { triesMax: 1 });
    expect((await rig.pull(REPO, {}, { freeBytes: () => SIZE - AT_40 })).fetched).toBe(true);
  });

  test("a disk that is full in the middle is left as it was", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    const disk: typeof realDisk = {
      append: async (handle, bytes) => {
        await realDisk.append(handle, bytes.subarray(0, 10));
        throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      },
    };
    const { code, message } = await rig.refused(REPO, {}, { disk });
    expect([code, message]).toEqual(["disk-full", expect.stringContaining("make room")]);
    expect(rig.files()).toEqual([]);
  });

  test("a folder that cannot be used", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    writeFileSync(join(rig.home, "models"), "a file");
    const { code, message } = await rig.refused(REPO);
    expect([code, message]).toEqual([
      "folder",
      expect.stringMatching(/cannot be used \(E\w+\); set WARMTURN_HOME/),
    ]);
  });
});

describe("removing", () => {
  test("a model, its note and the folders that it alone was in", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    rig.hub.add("big/m-Q8_0-00001-of-00002.gguf", 1000);
    rig.hub.add("big/m-Q8_0-00002-of-00002.gguf", 1000);
    await rig.pull(REPO);
    await rig.pull(`${REPO}:Q8_0`);
    const remove = (name: string) => removeModel(rig.cache, parseModelName(name));
    expect(() => remove(REPO)).toThrow(`${REPO} is here more than once; name one of`);
    expect(() => remove(`${REPO}:Q2_K`)).toThrow(
      `hf:${REPO}:Q2_K is not here. Here are hf:${REPO}:Q8_0, hf:${REPO}:Q4_K_M.`,
    );
    expect(remove(`${REPO}:q8_0`)).toEqual({ names: [`hf:${REPO}:Q8_0`], bytes: 2000 });
    expect(rig.files()).toEqual([`${REPO}/${NAME}`, `${REPO}/${NAME}.json`]);
    expect(remove(REPO).bytes).toBe(SIZE);
    expect(readdirSync(join(rig.home, "models"))).toEqual([]);
    expect(() => remove(REPO)).toThrow(`hf:${REPO} is not here. No model is.`);
  });

  test("in folders that are links to elsewhere, which stay", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    await rig.pull(REPO);
    const owner = join(rig.home, "models", REPO.split("/")[0] ?? "");
    renameSync(owner, join(rig.home, "elsewhere"));
    symlinkSync(join(rig.home, "elsewhere"), owner);
    symlinkSync(join(rig.home, "nowhere"), join(rig.home, "models", "gone"));
    expect(rig.cache.list().map(({ path }) => path)).toEqual([join(rig.home, "models", REPO, NAME)]);
    expect((await rig.pull(REPO)).fetched).toBe(false);
    expect(removeModel(rig.cache, parseModelName(REPO)).bytes).toBe(SIZE);
    expect(rig.cache.list()).toEqual([]);
    expect(readdirSync(join(rig.home, "elsewhere"))).toEqual([]);
  });

  test("where the cache folder cannot be used", async () => {
    await using rig = await PullRig.start();
    writeFileSync(join(rig.home, "locks"), "a file");
    expect(() => removeModel(rig.cache, parseModelName(REPO))).toThrow(
      /cannot be used \(E\w+\); set WARMTURN_HOME/,
    );
  });

  test("what a broken run left", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push({ kind: "drop", at: AT_40 });
    await rig.refused(REPO, { triesMax: 1 });
    expect(removeModel(rig.cache, parseModelName(`${REPO}:Q4_K_M`))).toEqual({
      names: [`hf:${REPO}:Q4_K_M`],
      bytes: AT_40,
    });
    expect(rig.files()).toEqual([]);
  });

  test("what a broken run left of a file that the hub no longer has goes with the next pull", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push({ kind: "drop", at: AT_40 });
    await rig.refused(REPO, { triesMax: 1 });
    rig.hub.add(NAME, SIZE + 1);
    await rig.pull(REPO);
    expect(parts(rig)).toEqual([]);
  });

  test("a file that is not the cache's own is not listed", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    const { model } = await rig.pull(REPO);
    renameSync(`${model.path}.json`, `${model.path}.bak`);
    expect(rig.cache.list()).toEqual([]);
  });
});
