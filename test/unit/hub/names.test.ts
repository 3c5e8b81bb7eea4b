import { describe, expect, test } from "bun:test";
import { chooseModel, isDefault } from "../../../src/hub/chooseModel.ts";
import { HubError } from "../../../src/hub/HubError.ts";
import { type HubFile, readHubFile } from "../../../src/hub/HubFile.ts";
import { hubOptions } from "../../../src/hub/HubOptions.ts";
import { isModelName, parseModelName, writeModelName } from "../../../src/hub/ModelName.ts";
import { quantOf } from "../../../src/hub/quant.ts";

const HEX = "0".repeat(64);
const files = (...paths: string[]): HubFile[] =>
  paths.map((path) => ({ path, size: 1, digest: { kind: "sha256", hex: HEX } }));

function chosen(paths: readonly string[], name = "o/r"): string {
  try {
    return chooseModel(files(...paths), parseModelName(name))
      .files.map(({ path }) => path)
      .join(" + ");
  } catch (error) {
    if (error instanceof HubError) return error.message;
    throw error;
  }
}

describe("names", () => {
  test.each([
    ["o/r", "hf:o/r"],
    ["hf:owner-1/Repo_2.5-GGUF", "hf:owner-1/Repo_2.5-GGUF"],
    ["hf:o/r:q4_k_m", "hf:o/r:q4_k_m"],
    ["hf://o/r:Q8_0", "hf:o/r:Q8_0"],
    ["https://huggingface.co/o/r", "hf:o/r"],
    ["hf.co/o/r/:Q4_0", "hf:o/r:Q4_0"],
    ["o/r:sub/model.gguf", "hf:o/r:sub/model.gguf"],
  ])("%s is %s", (text, name) => {
    expect(writeModelName(parseModelName(text))).toBe(name);
  });

  test.each([
    "",
    "o",
    "hf:o",
    "o/r/x",
    "../r",
    "o/..",
    "o/a..b",
    "o/.r",
    "o/r-",
    "o/r:",
    "o r/x",
    "o/é",
    "/o/r",
    `o/${"r".repeat(97)}`,
    `o/r:${"q".repeat(257)}`,
  ])("%j is none", (text) => {
    expect(() => parseModelName(text)).toThrow("is no model's name");
  });

  test("what no file is called", () => {
    expect(["hf:o/r", "HF:o/r", "https://hf.co/o/r"].map(isModelName)).toEqual([true, true, true]);
    expect(["o/r", "model.gguf", "/hf:x", "hub/hf.gguf"].some(isModelName)).toBe(false);
  });
});

test.each([
  ["Qwen3-8B-Q4_K_M.gguf", "Q4_K_M"],
  ["llama-2-7b.q4_k_m.gguf", "Q4_K_M"],
  ["Model_IQ4_XS.gguf", "IQ4_XS"],
  ["Qwen3-30B-A3B-UD-Q4_K_XL.gguf", "UD-Q4_K_XL"],
  ["UD-Q2_K_XL/Big-00001-of-00003", "UD-Q2_K_XL"],
  ["gemma-3-4b-it-q4_0.gguf", "Q4_0"],
  ["m-Q4_0_4_4.gguf", "Q4_0_4_4"],
  ["gpt-oss-20b-mxfp4.gguf", "MXFP4"],
  ["x-fp16.gguf", "F16"],
  ["x.BF16.gguf", "BF16"],
  ["Q8_0-to-Q6_K.gguf", "Q6_K"],
  ["TriLM-TQ2_0.gguf", "TQ2_0"],
  ["m-Q4_K_M-imat.gguf", "Q4_K_M"],
  ["SmolLM2-1.7B.gguf", null],
  ["MQ4_K_M.gguf", null],
])("%s is %s", (path, quant) => {
  expect(quantOf(path)).toBe(quant);
});

describe("which file is taken", () => {
  const MANY = ["m-F16.gguf", "m-Q2_K.gguf", "m-Q8_0.gguf", "m-Q4_K_M.gguf", "m-Q4_K_S.gguf", "README.md"];

  test.each([
    ["Q4_K_M without a name", MANY, "o/r", "m-Q4_K_M.gguf"],
    ["its neighbours next", ["m-Q8_0.gguf", "m-IQ4_XS.gguf", "m-Q4_K_S.gguf"], "o/r", "m-Q4_K_S.gguf"],
    ["more bits before fewer", ["m-Q2_K.gguf", "m-Q6_K.gguf", "m-F16.gguf"], "o/r", "m-Q6_K.gguf"],
    ["fewer before none", ["m-F32.gguf", "m-Q2_K.gguf"], "o/r", "m-Q2_K.gguf"],
    ["what spells none, alone", ["model.gguf"], "o/r", "model.gguf"],
    ["what spells none, last", ["a.gguf", "m-Q1_0.gguf"], "o/r", "m-Q1_0.gguf"],
    ["by name, in any case", MANY, "o/r:q8_0", "m-Q8_0.gguf"],
    [
      "the maker's prefix may be left out",
      ["m-UD-Q4_K_XL.gguf", "m-Q8_0.gguf"],
      "o/r:q4_k_xl",
      "m-UD-Q4_K_XL.gguf",
    ],
    ["but the exact one first", ["m-UD-Q4_K_M.gguf", "m-Q4_K_M.gguf"], "o/r:Q4_K_M", "m-Q4_K_M.gguf"],
    ["by file", ["sub/m-Q4_K_M.gguf", "m-Q4_K_M.gguf"], "o/r:sub/m-Q4_K_M.gguf", "sub/m-Q4_K_M.gguf"],
    ["by a spelling that is no quantisation", ["m-fp8.gguf", "m-Q4_K_M.gguf"], "o/r:FP8", "m-fp8.gguf"],
    [
      "pictures' projectors, calibration data and drafts never",
      ["mmproj-Q4_K_M.gguf", "m.imatrix-Q4_K_M.gguf", "mtp-m-Q4_K_M.gguf", "m-Q8_0.gguf"],
      "o/r",
      "m-Q8_0.gguf",
    ],
    ["sub folders name their files", ["Q4_K_M/m.gguf", "Q8_0/m.gguf"], "o/r:Q8_0", "Q8_0/m.gguf"],
    ["the higher of two", ["old/m-Q4_K_M.gguf", "mm-Q4_K_M.gguf"], "o/r", "mm-Q4_K_M.gguf"],
    [
      "all parts, in order",
      ["q/m-Q4_K_M-00002-of-00002.gguf", "m-Q8_0.gguf", "q/m-Q4_K_M-00001-of-00002.gguf"],
      "o/r",
      "q/m-Q4_K_M-00001-of-00002.gguf + q/m-Q4_K_M-00002-of-00002.gguf",
    ],
    [
      "a part by its file",
      ["m-Q4_K_M-00001-of-00002.gguf", "m-Q4_K_M-00002-of-00002.gguf"],
      "o/r:m-Q4_K_M-00002-of-00002.gguf",
      "m-Q4_K_M-00001-of-00002.gguf + m-Q4_K_M-00002-of-00002.gguf",
    ],
    [
      "a part that is missing is named",
      ["m-Q4_K_M-00001-of-00003.gguf", "m-Q4_K_M-00003-of-00003.gguf"],
      "o/r",
      "o/r lacks part 2 of 3 of m-Q4_K_M.gguf; take another quantisation or repository.",
    ],
    ["what is there is listed", MANY, "o/r:Q5_0", "o/r has no Q5_0; it has Q4_K_M, Q4_K_S, Q8_0, Q2_K, F16."],
    [
      "a repository without models",
      ["model.safetensors", "mmproj-F16.gguf"],
      "o/r",
      'o/r holds no GGUF model; look for a repository with "GGUF" in its name.',
    ],
  ] as const)("%s", (_, paths, name, expected) => {
    expect(chosen(paths, name)).toBe(expected);
  });

  test("whether a choice is the one without a name", () => {
    const list = files(...MANY);
    const [plain, other] = ["o/r:Q4_K_M", "o/r:Q8_0"].map((name) => chooseModel(list, parseModelName(name)));
    expect([plain, other].map((model) => model !== undefined && isDefault(list, model))).toEqual([
      true,
      false,
    ]);
  });
});

describe("the hub's list is a stranger's", () => {
  const entry = { type: "file", path: "m.gguf", size: 5, oid: "a".repeat(40), lfs: { oid: HEX, size: 7 } };

  test("a file in large-file storage, and one of Git's own", () => {
    expect(readHubFile(entry)).toEqual({ path: "m.gguf", size: 7, digest: { kind: "sha256", hex: HEX } });
    expect(readHubFile({ ...entry, lfs: undefined })).toEqual({
      path: "m.gguf",
      size: 5,
      digest: { kind: "git", hex: "a".repeat(40) },
    });
  });

  test.each([
    ...[
      "../m.gguf",
      "/m.gguf",
      "a/../../m.gguf",
      "a//m.gguf",
      "a\\m.gguf",
      "C:m.gguf",
      ".parts/m",
      "m\0.gguf",
      "",
    ].map((path) => ({ ...entry, path })),
    ...[-1, 1.5, "7", 2 ** 53].map((size) => ({ ...entry, lfs: { oid: HEX, size } })),
    { ...entry, lfs: { oid: "short", size: 7 } },
    { ...entry, lfs: undefined, oid: "?" },
    { ...entry, type: "directory" },
    "file",
    null,
  ])("%j is left out", (value) => {
    expect(readHubFile(value)).toBeUndefined();
  });
});

describe("the environment", () => {
  test("endpoint and token", () => {
    expect(hubOptions({})).toMatchObject({ endpoint: "https://huggingface.co", token: null });
    const env = { HF_ENDPOINT: "http://hub.local:8080/hf/", HF_TOKEN: " hf_x\n" };
    expect(hubOptions(env)).toMatchObject({ endpoint: "http://hub.local:8080/hf", token: "hf_x" });
  });

  test.each([
    [{ HF_ENDPOINT: "hub" }, 'HF_ENDPOINT is "hub"'],
    [{ HF_ENDPOINT: "ftp://hub" }, "HF_ENDPOINT"],
    [{ HF_TOKEN: "a b" }, "HF_TOKEN"],
  ])("%j is refused by name", (env, says) => {
    expect(() => hubOptions(env)).toThrow(says);
  });
});
