/** What is unpacked is what is loaded: nobody else's folder, file or link is ever used, wherever it was planted. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheFolder } from "../../ffi/cacheFolder.ts";
import { keepFile, keepFiles } from "../../ffi/keepFile.ts";

const BYTES = new TextEncoder().encode("the library");
const EVIL = "the lībrary".slice(0, BYTES.length);
const isRoot = process.getuid?.() === 0;
const STRANGER = 54_321;
const before = process.env["TMPDIR"];

let root: string;
let temporary: string;

beforeEach(() => {
  root = mkdtempSync(join(before ?? tmpdir(), "warmturn-test-"));
  process.env["TMPDIR"] = join(root, "tmp");
  mkdirSync(join(root, "tmp"));
  temporary = join(root, "tmp", `warmturn-${process.getuid?.()}`);
});
afterEach(() => {
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
  rmSync(root, { recursive: true, force: true });
});

const keep = (folder = join(root, "cache")): string => keepFile(folder, "lib.so", BYTES);
const held = (path: string): string => readFileSync(path, "utf8");

/** Where nothing can be made. */
function blocked(): string {
  writeFileSync(join(root, "file"), "");
  return join(root, "file", "cache");
}

test("a file that is there with the same bytes is left alone; one with others is replaced", () => {
  const path = keep();
  expect([path, held(path)]).toEqual([join(root, "cache", "lib.so"), "the library"]);
  writeFileSync(path, "THE LIBRARY");
  expect(held(keep())).toBe("the library");
});

test("a link in its place is replaced, and what it leads to is left alone", () => {
  const elsewhere = join(root, "elsewhere.so");
  writeFileSync(elsewhere, BYTES);
  mkdirSync(join(root, "cache"), { mode: 0o700 });
  symlinkSync(elsewhere, join(root, "cache", "lib.so"));
  writeFileSync(elsewhere, EVIL);
  expect(held(keep())).toBe("the library");
  expect(held(elsewhere)).toBe(EVIL);
});

describe.each(["cache", "temporary"] as const)("a planted folder, as the %s one", (where) => {
  const planted = (): string => (where === "cache" ? join(root, "cache") : temporary);
  /** Where the file then lies, or the sentence. */
  const result = (): string => {
    try {
      return keep(where === "cache" ? undefined : blocked());
    } catch (error) {
      return String(error);
    }
  };
  const expectRefused = (reason: string): void => {
    const got = result();
    if (where === "cache") expect(got).toBe(join(temporary, "lib.so"));
    else expect(got).toContain(`${temporary}: ${reason}`);
    if (where === "temporary") expect(got).toContain("WARMTURN_HOME");
  };

  test("that others can write to is not used", () => {
    mkdirSync(planted());
    chmodSync(planted(), 0o777);
    writeFileSync(join(planted(), "lib.so"), BYTES);
    expectRefused("others can write to it");
  });

  test("that is a link is not used", () => {
    mkdirSync(join(root, "theirs"), { mode: 0o700 });
    symlinkSync(join(root, "theirs"), planted());
    expectRefused("it is no folder");
  });

  test.skipIf(!isRoot)("that belongs to another user is not used", () => {
    mkdirSync(planted(), { mode: 0o700 });
    writeFileSync(join(planted(), "lib.so"), BYTES);
    chownSync(planted(), STRANGER, STRANGER);
    expectRefused("it belongs to another user");
  });

  test.skipIf(!isRoot)("with a file of another user's: the file is replaced", () => {
    mkdirSync(planted(), { mode: 0o700 });
    const path = join(planted(), "lib.so");
    writeFileSync(path, BYTES, { mode: 0o700 });
    chownSync(path, STRANGER, STRANGER);
    expect(result()).toBe(path);
    expect(Bun.file(path).size).toBe(BYTES.length);
  });
});

test("the files of one set lie in one folder, also where only some could be written", () => {
  mkdirSync(join(root, "cache", "b.so"), { recursive: true, mode: 0o700 });
  writeFileSync(join(root, "cache", "b.so", "in the way"), "");
  const folder = keepFiles(join(root, "cache"), [
    ["a.so", BYTES],
    ["b.so", BYTES],
  ]);
  expect(folder).toBe(temporary);
  expect(held(join(folder, "a.so"))).toBe("the library");
});

test("a user without a home has a folder of their own", () => {
  expect(cacheFolder({ HOME: "/home/x", XDG_CACHE_HOME: "/c" })).toBe(
    process.platform === "darwin" ? "/home/x/Library/Caches/warmturn" : "/c/warmturn",
  );
  expect(cacheFolder({ WARMTURN_HOME: "/x" })).toBe("/x");
});
