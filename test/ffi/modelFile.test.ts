/** A file that is no whole model ends in one sentence that names it; never in a native abort. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HeaderTooShort } from "../../ffi/ggufHeader.ts";
import { Model } from "../../ffi/Model.ts";
import { checkModelFile, modelTensors } from "../../ffi/modelFile.ts";
import { type GgufValue, numbers, str, strings } from "../support/gguf/GgufValue.ts";
import { writeGguf } from "../support/gguf/writeGguf.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";
import { openBackend } from "./rig.ts";

const folder = mkdtempSync(join(tmpdir(), "warmturn-model-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let whole: Buffer;
beforeAll(async () => {
  whole = Buffer.from(await Bun.file((await tinyModel("lfm2")).path).arrayBuffer());
});

function file(bytes: Uint8Array | string): string {
  const path = join(folder, `${Bun.hash(bytes).toString(16)}.gguf`);
  writeFileSync(path, bytes);
  return path;
}

/** The whole file with `from` replaced by `to`, of the same length. */
function replaced(from: string, to: string): Buffer {
  const at = whole.indexOf(from, 0, "latin1");
  if (at < 0 || from.length !== to.length) throw new Error(`cannot replace ${from}`);
  const bytes = Buffer.from(whole);
  bytes.write(to, at, "latin1");
  return bytes;
}

function withLayers(count: number): Buffer {
  const bytes = Buffer.from(whole);
  const key = "lfm2.block_count";
  bytes.writeUInt32LE(count, bytes.indexOf(key) + key.length + 4);
  return bytes;
}

/** Of two neighbours of one length in the vocabulary, the second spelt as the first. */
function withRepeatedToken(): Buffer {
  const bytes = Buffer.from(whole);
  const key = "tokenizer.ggml.tokens";
  let at = bytes.indexOf(key) + key.length + 4 + 4 + 8;
  for (;;) {
    const length = Number(bytes.readBigUInt64LE(at));
    const next = at + 8 + length;
    if (Number(bytes.readBigUInt64LE(next)) === length) {
      bytes.copy(bytes, next + 8, at + 8, next);
      return bytes;
    }
    at = next;
  }
}

const cases: [name: string, bytes: () => Uint8Array | string, words: string][] = [
  ["an empty file", () => "", "it is not a GGUF model file"],
  ["text", () => "hello, I am no model", "it is not a GGUF model file"],
  ["another format", () => "PK\u0003\u0004 and so on and so forth", "it is not a GGUF model file"],
  ["the magic alone", () => "GGUF", "truncated"],
  [
    "a version of the future",
    () => Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(40, 9)]),
    "GGUF version",
  ],
  ["cut inside the metadata", () => whole.subarray(0, 600), "metadata goes on behind its end"],
  ["a token twice", withRepeatedToken, "the same token twice"],
  ["no layers", () => withLayers(0), "lfm2.block_count is 0"],
  ["too many layers", () => withLayers(513), "lfm2.block_count is 513"],
];

test.each(cases)("%s is refused before llama.cpp opens it", (_, bytes, words) => {
  const path = file(bytes());
  expect(() => checkModelFile(path)).toThrow(words);
  expect(() => checkModelFile(path)).toThrow(path);
});

test("no file, and a folder", () => {
  expect(() => checkModelFile(join(folder, "none.gguf"))).toThrow("there is no such file");
  expect(() => checkModelFile(folder)).toThrow("is not a file");
});

test("whole files pass", async () => {
  for (const kind of ["qwen3", "qwen35", "lfm2", "gemma3", "mamba2"] as const)
    checkModelFile((await tinyModel(kind)).path);
});

const backend = openBackend();
describe.skipIf(backend === null)("what llama.cpp refuses, in its own words", () => {
  const native: [name: string, bytes: () => Uint8Array, words: string][] = [
    ["cut inside the tensors", () => whole.subarray(0, whole.length - 1000), "is not within the file bounds"],
    ["an unknown architecture", () => replaced("lfm2", "lfmx"), "unknown model architecture: 'lfmx'"],
    [
      "a tensor that is missing",
      () => replaced("token_embd.weight", "token_embx.weight"),
      "token_embd.weight",
    ],
  ];
  test.each(native)("%s", (_, bytes, words) => {
    if (!backend) return;
    const path = file(bytes());
    expect(() => Model.load(backend, { path })).toThrow(words);
    expect(() => Model.load(backend, { path })).toThrow(`Cannot load ${path}`);
    expect(() => backend.devices()).not.toThrow();
  });

  test("files damaged at random places of their metadata never end the process", () => {
    if (!backend) return;
    let refused = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const bytes = Buffer.from(whole);
      for (let i = 0; i < 3; i++) bytes[24 + ((seed * 7919 + i * 104729) % 8000)] = (seed * 31 + i) % 256;
      try {
        Model.load(backend, { path: file(bytes), vocabOnly: true }).close();
      } catch (error) {
        refused++;
        expect(String(error)).toContain("Cannot load");
      }
    }
    expect(refused).toBeGreaterThan(0);
  });
});

test.skipIf(openBackend() === null)(
  "how far a load has come is told in shared memory, which another thread may read",
  () => {
    const backend = openBackend();
    if (!backend) return;
    for (const mmap of [true, false]) {
      const progress = new Int32Array(new SharedArrayBuffer(4));
      Model.load(backend, { path: file(whole), mmap, progress }).close();
      expect(Atomics.load(progress, 0)).toBe(1000);
    }
  },
);

describe("the names of a model's tensors", () => {
  const part = (names: readonly string[], padding = 0): Uint8Array =>
    writeGguf({
      metadata: new Map<string, GgufValue>([
        ["general.architecture", str("bert")],
        ["padding", str("x".repeat(padding))],
        ["list", numbers("int32", [1, 2, 3])],
        ["texts", strings(["a", "bc"])],
      ]),
      tensors: names.map((name) => ({ name, type: "f32", shape: [2, 1], data: new Float32Array(2) })),
    });

  test("are those of the file, however long its metadata is", () => {
    expect([...modelTensors(file(part(["a.weight", "cls.output.weight"])))]).toEqual([
      "a.weight",
      "cls.output.weight",
    ]);
    expect([...modelTensors(file(part(["b"], 5 << 20)))]).toEqual(["b"]);
    expect(modelTensors(file(part([]))).size).toBe(0);
    expect(() => modelTensors(file(part(["a"], 100).subarray(0, 140)))).toThrow(HeaderTooShort);
  });

  test("are those of all parts", () => {
    for (const [index, names] of [["a", "b"], ["c"], []].entries())
      writeFileSync(join(folder, `split-0000${index + 1}-of-00003.gguf`), part(names));
    expect([...modelTensors(join(folder, "split-00001-of-00003.gguf"))]).toEqual(["a", "b", "c"]);
  });
});
