/** A model from a hub on this machine: what comes through, two at once, and where it lies. */
import { describe, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockRepo } from "../../../src/hub/lockRepo.ts";
import { cachedName } from "../../../src/hub/ModelCache.ts";
import { parseModelName } from "../../../src/hub/ModelName.ts";
import { findModel } from "../../../src/hub/pullModel.ts";
import { removeModel } from "../../../src/hub/removeModel.ts";
import { PullRig } from "../../support/PullRig.ts";

const REPO = "owner/Model-GGUF";
const NAME = "m-Q4_K_M.gguf";
/** More than one piece of a connection. */
const SIZE = 300_000;
const AT_40 = SIZE * 0.4;

describe("a whole file", () => {
  test("is fetched over redirects, and lies under its name with a note", async () => {
    await using rig = await PullRig.start();
    const bytes = rig.hub.add(NAME, SIZE);
    for (const other of ["m-Q8_0.gguf", "mmproj-F16.gguf", "README.md"]) rig.hub.add(other, 10);
    const { model, fetched } = await rig.pull(`hf:${REPO}`);
    expect([cachedName(model), fetched, model.bytes]).toEqual([`hf:${REPO}:Q4_K_M`, true, SIZE]);
    expect(readFileSync(model.path).equals(bytes)).toBe(true);
    expect(rig.files()).toEqual([`${REPO}/${NAME}`, `${REPO}/${NAME}.json`]);
    expect([rig.begun, rig.ended, rig.notes]).toEqual([[`${NAME} 0/${SIZE}`], 1, []]);
  });

  test("is not fetched again, by any name", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    rig.hub.add("m-Q8_0.gguf", 10);
    const { model } = await rig.pull(REPO);
    expect(await rig.pull(`${REPO}:q4_k_m`)).toEqual({ model, fetched: false });
    expect(rig.hub.ranges).toHaveLength(1);
    for (const name of [REPO, `${REPO}:q4_K_m`, `${REPO}:${NAME}`]) {
      expect(findModel(rig.cache, parseModelName(name))).toEqual(model);
    }
    expect(findModel(rig.cache, parseModelName(`${REPO}:Q8_0`))).toBeUndefined();
  });

  test("that is not the one taken by default is not used for the name without one", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    rig.hub.add("m-Q8_0.gguf", 10);
    await rig.pull(`${REPO}:Q8_0`);
    expect(findModel(rig.cache, parseModelName(REPO))).toBeUndefined();
  });

  test("is fetched again where the hub has another one by now", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    await rig.pull(REPO);
    const bytes = rig.hub.add(NAME, SIZE + 5);
    const { model, fetched } = await rig.pull(REPO);
    expect([fetched, readFileSync(model.path).equals(bytes)]).toEqual([true, true]);
    expect(rig.files()).toHaveLength(2);
  });

  test("all parts of a split one, in a sub folder", async () => {
    await using rig = await PullRig.start();
    const paths = [1, 2, 3].map((part) => `big/m-Q4_K_M-0000${part}-of-00003.gguf`);
    const bytes = paths.map((path, i) => rig.hub.add(path, 1000 + i));
    const { model } = await rig.pull(REPO);
    expect(model.path).toEndWith("/big/m-Q4_K_M-00001-of-00003.gguf");
    expect(model.bytes).toBe(3003);
    for (const [i, path] of paths.entries()) {
      expect(readFileSync(join(rig.home, "models", REPO, path)).equals(bytes[i] ?? Buffer.alloc(0))).toBe(
        true,
      );
    }
    rmSync(join(rig.home, "models", REPO, paths[1] ?? ""));
    expect(findModel(rig.cache, parseModelName(REPO))).toBeUndefined();
    expect((await rig.pull(REPO)).fetched).toBe(true);
    // Those that were there are checked, not fetched.
    expect(rig.begun.slice(3)).toEqual([
      `${paths[0]} 1000/1000`,
      `${paths[1]} 0/1001`,
      `${paths[2]} 1002/1002`,
    ]);
  });

  test("one that lies in Git itself is checked by Git's hash", async () => {
    await using rig = await PullRig.start();
    rig.hub.add("git/tiny.gguf", 500);
    expect((await rig.pull(REPO)).model.quant).toBe("git/tiny.gguf");
    rig.hub.add("git/tiny-Q8_0.gguf", 500);
    rig.hub.fileFaults.push({ kind: "wrong" });
    expect((await rig.refused(`${REPO}:Q8_0`)).message).toContain("the Git hash that the hub's list says");
  });
});

describe("two at once", () => {
  test("the second waits, says so, and fetches nothing", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    const held = Promise.withResolvers<void>();
    rig.hub.onHold = held.resolve;
    rig.hub.fileFaults.push({ kind: "hold", at: AT_40 });
    const waiting = Promise.withResolvers<void>();
    const first = rig.pull(REPO);
    await held.promise;
    const second = rig.pull(REPO, {
      wait: async () => {
        waiting.resolve();
        await Bun.sleep(5);
      },
    });
    await waiting.promise;
    expect(() => removeModel(rig.cache, parseModelName(REPO))).toThrow("is being fetched right now");
    rig.hub.release();
    const results = await Promise.all([first, second]);
    expect(results.map(({ fetched }) => fetched)).toEqual([true, false]);
    expect(rig.notes).toContain(`Another warmturn is fetching from ${REPO}; waiting until it is done`);
    expect(rig.hub.ranges).toHaveLength(2);
  });

  test("another repository is not waited for", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, 1000);
    const unexpected = (): never => {
      throw new Error("it waits");
    };
    using _other = await lockRepo(rig.home, parseModelName("owner/Other"), unexpected, unexpected);
    expect((await rig.pull(REPO)).fetched).toBe(true);
  });
});

describe("between the last rename and the note", () => {
  test("a file that has its name already is checked and kept", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    const { model } = await rig.pull(REPO);
    rmSync(`${model.path}.json`);
    expect((await rig.pull(REPO)).fetched).toBe(true);
    expect(rig.hub.ranges).toHaveLength(1);
    expect(rig.files()).toEqual([`${REPO}/${NAME}`, `${REPO}/${NAME}.json`]);
  });

  test("a note that cannot be read is none", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    const { model } = await rig.pull(REPO);
    for (const text of ["{", "[]", '{"quant": 1}', '{"quant": "x", "files": [{"path": "../x"}]}']) {
      writeFileSync(`${model.path}.json`, text);
      expect(rig.cache.list()).toEqual([]);
    }
  });
});
