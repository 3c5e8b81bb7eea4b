/** Keys with and without names, of flags and files; what cannot be read never shows a key. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../src/config/Config.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "warmturn-keys-"));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const keysOf = (...argv: string[]) => readConfig(["-m", "x.gguf", ...argv], {}).apiKeys;

test("keys by flag", () => {
  expect(keysOf()).toEqual([]);
  expect(keysOf("--api-key", "abc,laptop=s3cret", "--api-key", "c2VjcmV0cw==")).toEqual([
    { name: "key-1", key: "abc" },
    { name: "laptop", key: "s3cret" },
    { name: "key-3", key: "c2VjcmV0cw==" },
  ]);
  expect(keysOf("--api-key", "a=b=c")).toEqual([{ name: "a", key: "b=c" }]);
  const env = readConfig(["-m", "x.gguf"], { LLAMA_API_KEY: "desk=one" });
  expect(env.apiKeys).toEqual([{ name: "desk", key: "one" }]);
});

test("keys by file, one a line", async () => {
  const file = join(folder, "keys");
  await Bun.write(file, "# of the team\r\nanna=one,two\r\n\n  three  \n");
  expect(keysOf("--api-key", "zero", "--api-key-file", file)).toEqual([
    { name: "key-1", key: "zero" },
    { name: "anna", key: "one,two" },
    { name: "key-3", key: "three" },
  ]);
});

test("what is wrong is named, without a key", async () => {
  const empty = join(folder, "empty");
  await Bun.write(empty, "# nothing yet\n\n");
  for (const [argv, says] of [
    [["--api-key", "s3cret,"], "--api-key cannot be read; allowed is non-empty keys"],
    [["--api-key", "a=s3cret,a=other"], '--api-key: two keys are called "a".'],
    [["--api-key", "a=s3cret,b=s3cret"], '--api-key: "a" and "b" are the same key.'],
    [["--api-key", "key-2=s3cret,other"], '--api-key: two keys are called "key-2".'],
    [["--api-key-file", empty], "holds no key"],
    [["--api-key-file", join(folder, "none")], "cannot be read"],
    [
      ["--cors-origins", "chat.example.org"],
      '--cors-origins is "chat.example.org"; allowed is origins such as',
    ],
  ] as const) {
    expect(() => keysOf(...argv)).toThrow(says);
    expect(() => keysOf(...argv)).not.toThrow("s3cret");
  }
  expect(() => readConfig(["-m", "x.gguf"], { LLAMA_API_KEY: "s3cret,," })).not.toThrow("s3cret");
});
