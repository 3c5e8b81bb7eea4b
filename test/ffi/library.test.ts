/** Where libllama is found, in which order, and what is said when it is not there. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheFolder } from "../../ffi/cacheFolder.ts";
import { extractEmbedded } from "../../ffi/embedded.ts";
import { CUDA_PACKAGE, findLibrary, nvidiaAdvice, PACKAGE_VERSION } from "../../ffi/library.ts";
import { openShim } from "../../ffi/openShim.ts";

const root = mkdtempSync(join(tmpdir(), "warmturn-library-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let next = 0;

function project(packages: Record<string, { version?: string; files: string[] }>): string {
  const folder = join(root, String(next++));
  mkdirSync(folder);
  for (const [name, { version = PACKAGE_VERSION, files }] of Object.entries(packages)) {
    const at = join(folder, "node_modules", "@node-llama-cpp", name);
    mkdirSync(join(at, "bins", name), { recursive: true });
    writeFileSync(join(at, "package.json"), JSON.stringify({ version }));
    for (const file of files) writeFileSync(join(at, "bins", name, file), "");
  }
  return folder;
}

const CPU = { files: ["libllama-common.so", "libllama.v0.4.0.so", "libggml.v0.4.0.so", "llama-addon.node"] };
const CUDA = { files: ["libllama.cuda.v0.4.0.so", "libggml-cuda.so"] };
const LINUX = { platform: "linux", arch: "x64", nvidia: false } as const;

test("the platform's package, by its own file names", () => {
  const from = project({ "linux-x64": CPU });
  const [found] = findLibrary({ ...LINUX, from });
  expect(found?.path.endsWith("linux-x64/bins/linux-x64/libllama.v0.4.0.so")).toBe(true);
  expect(found?.packageName).toBe("@node-llama-cpp/linux-x64");
  const mac = project({ "mac-arm64-metal": { files: ["libllama.metal.v0.4.0.dylib"] } });
  const [metal] = findLibrary({ platform: "darwin", arch: "arm64", from: mac });
  expect(metal?.path.endsWith("libllama.metal.v0.4.0.dylib")).toBe(true);
});

test("a folder deeper down finds the package above it", () => {
  const from = project({ "linux-x64": CPU });
  mkdirSync(join(from, "a", "b"), { recursive: true });
  expect(findLibrary({ ...LINUX, from: join(from, "a", "b") })).toHaveLength(1);
});

test("CUDA first where there is an NVIDIA card, the CPU package behind it, its runtime before it", () => {
  const from = project({
    "linux-x64": CPU,
    "linux-x64-cuda": CUDA,
    "linux-x64-cuda-ext": { files: ["libcublas.so.13", "libcudart.so.13", "libcublasLt.so.13"] },
  });
  const found = findLibrary({ ...LINUX, nvidia: true, from });
  expect(found.map((one) => one.packageName)).toEqual([CUDA_PACKAGE, "@node-llama-cpp/linux-x64"]);
  expect(found[0]?.preload.map((path) => path.split("/").at(-1))).toEqual([
    "libcudart.so.13",
    "libcublasLt.so.13",
    "libcublas.so.13",
  ]);
  expect(findLibrary({ ...LINUX, from }).map((one) => one.packageName)).toEqual([
    "@node-llama-cpp/linux-x64",
  ]);
});

test("a package of another version is refused with the version that is needed", () => {
  const from = project({ "linux-x64": { ...CPU, version: "3.22.0" } });
  expect(() => findLibrary({ ...LINUX, from })).toThrow(
    "@node-llama-cpp/linux-x64 is version 3.22.0; needed is 3.21.1: bun add -E @node-llama-cpp/linux-x64@3.21.1",
  );
});

test("an explicit file, folder or package; and what is missing, named", () => {
  const from = project({ "linux-x64": CPU });
  const bins = join(from, "node_modules/@node-llama-cpp/linux-x64/bins/linux-x64");
  for (const explicit of [join(bins, "libllama.v0.4.0.so"), bins, join(bins, "../..")]) {
    const [found] = findLibrary({ explicit });
    expect(found?.path).toBe(join(bins, "libllama.v0.4.0.so"));
    expect(found?.origin).toBe("explicit");
  }
  expect(() => findLibrary({ explicit: join(root, "nowhere") })).toThrow("--llama-lib: there is no");
  expect(() => findLibrary({ explicit: root })).toThrow("holds no libllama");
  expect(() => findLibrary({ platform: "linux", arch: "riscv64", from: root })).toThrow(
    "No libllama for linux-riscv64",
  );
});

test("a file that is no libllama v0.4.0 is refused with a sentence", () => {
  const path = join(root, "libllama.so");
  writeFileSync(path, "not a library");
  const script = `import { openShim } from ${JSON.stringify(join(import.meta.dir, "../../ffi/openShim.ts"))};
    try { openShim(${JSON.stringify(path)}); } catch (error) { console.log(error.code, error.message); }`;
  const run = Bun.spawnSync([process.execPath, "-e", script], {
    env: { ...process.env, WARMTURN_HOME: root },
  });
  expect(run.stdout.toString()).toContain("library ");
  expect(run.stdout.toString()).toContain("is not libllama v0.4.0, which is needed");
});

test("an unused NVIDIA card gets one sentence with the command", () => {
  const from = project({ "linux-x64": CPU, "linux-x64-cuda": CUDA });
  const [cuda, cpu] = findLibrary({ ...LINUX, nvidia: true, from });
  if (!cpu || !cuda) throw new Error("both were found above");
  expect(nvidiaAdvice(cpu, 0, true)).toContain("bun add -E @node-llama-cpp/linux-x64-cuda@3.21.1");
  expect(nvidiaAdvice(cuda, 0, true)).toContain("libcudart.so.13");
  expect(nvidiaAdvice(cuda, 1, true)).toBe("");
  expect(nvidiaAdvice(cpu, 0, false)).toBe("");
});

test("embedded files are written once, whole, under their content's hash", () => {
  const files = { "libllama.v0.4.0.so": new Uint8Array([1, 2, 3]), "libggml.so": new Uint8Array([4]) };
  const cache = join(root, "cache");
  const folder = extractEmbedded(files, cache);
  expect(readdirSync(folder).sort()).toEqual(["libggml.so", "libllama.v0.4.0.so"]);
  writeFileSync(join(folder, "libggml.so"), "");
  expect(extractEmbedded(files, cache)).toBe(folder);
  expect(Bun.file(join(folder, "libggml.so")).size).toBe(1);
  const other = extractEmbedded({ ...files, "libggml.so": new Uint8Array([5]) }, cache);
  expect(other).not.toBe(folder);
  expect(readdirSync(other).some((name) => name.endsWith(".tmp"))).toBe(false);
});

test("the cache folder is WARMTURN_HOME, else the platform's", () => {
  expect(cacheFolder({ WARMTURN_HOME: "/x" })).toBe("/x");
  expect(cacheFolder({}).endsWith("warmturn")).toBe(true);
});

test("one thread uses one libllama", () => {
  const [found] = findLibrary({ explicit: process.env["WARMTURN_LLAMA_LIB"] });
  if (!found || !existsSync(found.path)) throw new Error("no library to test with");
  openShim(found.path);
  expect(() => openShim("/another/libllama.so")).toThrow("a process has one libllama");
});
