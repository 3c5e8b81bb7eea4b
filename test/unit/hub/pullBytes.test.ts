/** Bytes that are not the file's never get its name. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../support/FakeHub.ts";
import { PullRig } from "../../support/PullRig.ts";

const REPO = "owner/Model-GGUF";
const NAME = "m-Q4_K_M.gguf";
/** More than one piece of a connection. */
const SIZE = 300_000;
const AT_40 = SIZE * 0.4;

describe("bytes that are not the file's", () => {
  test("a wrong hash leaves nothing", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push({ kind: "wrong" });
    const { code, message } = await rig.refused(REPO);
    expect(code).toBe("checksum");
    expect(message).toContain(`${REPO}/${NAME} does not have the SHA-256 that the hub's list says`);
    expect(rig.files()).toEqual([]);
  });

  test("what an earlier run left may be the wrong part: then all of it is fetched again", async () => {
    await using rig = await PullRig.start();
    const bytes = rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push({ kind: "drop", at: AT_40 });
    await rig.refused(REPO, { triesMax: 1 });
    const part = join(rig.home, "models", REPO, ".parts", `${sha256(bytes)}.part`);
    const left = readFileSync(part);
    left[1000] = (left[1000] ?? 0) ^ 1;
    writeFileSync(part, left);
    const { model } = await rig.pull(REPO);
    expect(readFileSync(model.path).equals(bytes)).toBe(true);
    expect(rig.hub.ranges).toEqual([undefined, `bytes=${AT_40}-`, undefined]);
    expect(rig.notes.at(-1)).toContain("damaged");
  });

  test("of a part that was left whole all is checked as well", async () => {
    await using rig = await PullRig.start();
    const bytes = rig.hub.add(NAME, SIZE);
    const folder = join(rig.home, "models", REPO, ".parts");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `${sha256(bytes)}.part`),
      Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(SIZE - 4)]),
    );
    const { model } = await rig.pull(REPO);
    expect(readFileSync(model.path).equals(bytes)).toBe(true);
  });

  test.each([
    ["a file that changed in between", { kind: "other-etag" }],
    ["a server without ranges", { kind: "whole" }],
    ["a server that begins elsewhere", { kind: "other-start" }],
  ] as const)("%s: all of it is fetched again", async (_, { kind }) => {
    await using rig = await PullRig.start();
    const bytes = rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push({ kind: "drop", at: AT_40 });
    await rig.refused(REPO, { triesMax: 1 });
    if (kind === "other-etag") {
      const note = join(rig.home, "models", REPO, ".parts", `${sha256(bytes)}.json`);
      writeFileSync(note, readFileSync(note, "utf8").replace(/"etag":"\\"[0-9a-f]+/, '"etag":"\\"0'));
    } else {
      rig.hub.fileFaults.push({ kind });
    }
    const { model } = await rig.pull(REPO);
    expect(readFileSync(model.path).equals(bytes)).toBe(true);
  });

  test("without a tag the range alone is asked for", async () => {
    await using rig = await PullRig.start();
    rig.hub.etags = false;
    rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push({ kind: "drop", at: AT_40 });
    await rig.pull(REPO);
    expect(rig.hub.seen.at(-1)).toMatchObject({ range: `bytes=${AT_40}-`, ifRange: undefined });
  });

  test("another size than the list's is refused before its bytes", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, SIZE);
    rig.hub.fileFaults.push({ kind: "short" });
    const { code, message } = await rig.refused(REPO);
    expect([code, message]).toEqual([
      "checksum",
      expect.stringContaining(`${SIZE - 1} bytes where the hub's list says ${SIZE}`),
    ]);
    expect(rig.files()).toEqual([]);
  });

  test("no GGUF, whatever its name and hash", async () => {
    await using rig = await PullRig.start();
    for (const [path, magic] of [
      ["a-Q4_K_M.gguf", "<htm"],
      ["b-Q8_0.gguf", "version https://git-lfs"],
    ] as const) {
      rig.hub.add(path, SIZE, magic);
      const { code, message } = await rig.refused(`${REPO}:${path}`);
      expect([code, message]).toEqual([
        "not-gguf",
        expect.stringContaining("is no GGUF file whatever its name says"),
      ]);
    }
    rig.hub.add("c-Q6_K.gguf", 0);
    expect((await rig.refused(`${REPO}:Q6_K`)).code).toBe("not-gguf");
    expect(rig.files()).toEqual([]);
  });
});
