import { describe, expect, test } from "bun:test";
import { basename } from "node:path";
import { defaultThreads, readConfig } from "../../../src/config/Config.ts";
import { ConfigError } from "../../../src/config/ConfigError.ts";
import { FLAGS } from "../../../src/config/flags.ts";
import { flagTable, helpText } from "../../../src/config/help.ts";
import { parseFlags } from "../../../src/config/parseFlags.ts";

const message = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("nothing was thrown");
};

describe("llama-server's spellings", () => {
  test("long, short, several letters, and =", () => {
    const flags = parseFlags(
      "-m a.gguf -c 4096 -np 3 -t 2 -ngl 0 -ctk q8_0 -ctv q4_0 -ub 256 -b 512 -fa on -a x --port=0".split(
        " ",
      ),
      {},
    );
    expect(flags).toMatchObject({
      model: "a.gguf",
      ctxSize: 4096,
      parallel: 3,
      threads: 2,
      gpuLayers: 0,
      cacheTypeK: "q8_0",
      cacheTypeV: "q4_0",
      ubatchSize: 256,
      batchSize: 512,
      alias: "x",
      port: 0,
    });
  });

  test("switches and their opposites", () => {
    expect(parseFlags([], {}).mmap).toBe(true);
    expect(parseFlags(["--no-mmap", "--mlock"], {})).toMatchObject({ mmap: false, mlock: true });
  });

  test("lists, pairs, sizes, negatives", () => {
    const flags = parseFlags(
      [
        "--api-key",
        "a,b",
        "--api-key",
        "c",
        "-ts",
        "3,1",
        "-ot",
        "ffn.*=CPU,x=y=CUDA0",
        "--state-ram",
        "1.5G",
        "--yarn-ext-factor",
        "-1.5",
        "-ngl",
        "all",
      ],
      {},
    );
    expect(flags.apiKeys).toEqual(["a", "b", "c"].map((key) => ({ name: null, key })));
    expect(flags.tensorSplit).toEqual([3, 1]);
    expect(flags.overrideTensor).toEqual([
      { pattern: "ffn.*", bufferType: "CPU" },
      { pattern: "x=y", bufferType: "CUDA0" },
    ]);
    expect(flags.stateRam).toBe(1.5 * 2 ** 30);
    expect(flags.yarnExtFactor).toBe(-1.5);
    expect(flags.gpuLayers).toBe(-1);
    expect(parseFlags(["--state-ram", "512"], {}).stateRam).toBe(512 * 2 ** 20);
  });

  test("no spelling is used twice", () => {
    const names = Object.values(FLAGS).flatMap((flag) => [...flag.names, ...flag.negative]);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("a bad value ends the start with its name and what is allowed", () => {
  test.each([
    [["--port", "http"], '--port is "http"; allowed is a whole number from 0 to 65535.'],
    [["--port", "65536"], '--port is "65536"; allowed is a whole number from 0 to 65535.'],
    [["-np", "0"], '-np is "0"; allowed is a whole number from 1 to 64.'],
    [["-ub", "4"], '-ub is "4"; allowed is a whole number from 8 to 65536.'],
    [["-ot", "[=CPU"], "allowed is regular expression=buffer pairs"],
    [["-np", "1.5"], '-np is "1.5"; allowed is a whole number from 1 to 64.'],
    [["--warm", "maybe"], '--warm is "maybe"; allowed is on, off.'],
    [["-ctk", "q9"], '-ctk is "q9"; allowed is f32, f16, bf16, q8_0, q5_1, q5_0, q4_1, q4_0, iq4_nl.'],
    [["--state-ram", "lots"], "allowed is a size such as 512M"],
    [["--api-key", ""], "allowed is non-empty keys"],
    [["--chunk-tokens-min", "65"], "allowed is a whole number from 0 to 64."],
    [["--rope-freq-base", "x"], "allowed is a number of at least 0."],
    [["--yarn-ext-factor", "x"], "allowed is a number."],
    [["-m"], "-m needs a value"],
    [["-m", "--port", "1"], "-m needs a value"],
    [["--prot", "1"], "There is no flag --prot. Did you mean --port?"],
    [["--zzzzzzzz"], "There is no flag --zzzzzzzz. --help lists all flags."],
    [["serve"], "Not understood: serve."],
  ])("%p", (argv, expected) => {
    expect(message(() => parseFlags(argv, {}))).toContain(expected);
  });

  test("in the environment the variable is named", () => {
    expect(message(() => parseFlags([], { WARMTURN_PORT: "x" }))).toBe(
      'The environment variable WARMTURN_PORT is "x"; allowed is a whole number from 0 to 65535.',
    );
    expect(message(() => parseFlags([], { LLAMA_ARG_MLOCK: "maybe" }))).toContain("LLAMA_ARG_MLOCK");
  });
});

test("the command line wins over ours, ours over llama-server's, a blank one is none", () => {
  const env = { WARMTURN_PORT: "2", LLAMA_ARG_PORT: "3" };
  expect(parseFlags(["--port", "1"], env).port).toBe(1);
  expect(parseFlags([], env).port).toBe(2);
  expect(parseFlags([], { LLAMA_ARG_PORT: "3", WARMTURN_PORT: "" }).port).toBe(3);
  expect(parseFlags([], {}).port).toBe(8080);
});

describe("the config as a whole", () => {
  test("no model is the demo model, under its own name or the one that is given", () => {
    const config = readConfig([], {});
    expect([basename(config.modelPath), config.modelName]).toEqual(["demo.gguf", "demo"]);
    expect(config.engine.modelPath).toBe(config.modelPath);
    expect(readConfig(["-a", "mine"], {}).modelName).toBe("mine");
    expect(readConfig([], { WARMTURN_MODEL: "a.gguf" }).modelName).toBe("a");
  });

  test.each([
    [["--chunk-tokens-max", "1024"], "at most --ubatch-size, 512"],
    [["-ub", "8", "-np", "9"], "--parallel is 9; allowed is at most --ubatch-size, 8"],
    [["-ub", "16", "--chunk-tokens-min", "32"], "at most --chunk-tokens-max, 16"],
    [["--chat-template-file", "/no/such/file"], "there is no file /no/such/file"],
    [["--pooling", "mean"], "--pooling is for embeddings; give --embeddings with it"],
    [["--reranking", "--pooling", "cls"], "--rerank ranks; it cannot pool by --pooling cls as well"],
    [["--embd-normalize", "-2"], "a whole number from -1 to 64"],
    [["--embeddings", "--pooling", "max"], "none, mean, cls, last, rank"],
  ])("%p", (argv, expected) => {
    expect(message(() => readConfig(["-m", "a.gguf", ...argv], {}))).toContain(expected);
  });

  test.each<[readonly string[], unknown]>([
    [[], null],
    [["--embeddings"], { pooling: null }],
    [["--embedding", "--pooling", "none"], { pooling: "none" }],
    [["--embeddings", "--pooling", "rank"], { pooling: "rank" }],
    [["--rerank"], { pooling: "rank" }],
    [["--reranking", "--embeddings", "--pooling", "rank"], { pooling: "rank" }],
  ])("what embeds or ranks with %j", (argv, embeddings) => {
    expect(readConfig(["-m", "a.gguf", ...argv], {}).engine.embeddings).toEqual(embeddings as never);
  });

  test("what is resolved", () => {
    const config = readConfig(["-m", "dir/my-model.gguf", "-t", "3"], { WARMTURN_HOME: "home" });
    expect(config.modelName).toBe("my-model");
    expect(config.engine).toMatchObject({ threads: 3, threadsBatch: 3, home: "home", gpuLayers: -1 });
    expect(config.engine.stateRamBytes).toBe(-1);
    expect(config.limits.queueMax).toBe(64);
    expect([2, 4, 8].map((cpus) => defaultThreads(cpus, 1e9))).toEqual([2, 4, 4]);
    expect([2, 4, 8].map((cpus) => defaultThreads(cpus, 3e6))).toEqual([1, 1, 1]);
  });
});

test("the next turn is warmed unless a flag says otherwise", () => {
  expect(parseFlags([], {}).warm).toBe("on");
  expect(parseFlags(["--warm", "off"], {}).warm).toBe("off");
});

test("help and the table of docs/flags.md name every flag", () => {
  for (const flag of Object.values(FLAGS)) {
    for (const name of [...flag.names, ...flag.negative]) {
      expect(helpText("1", [], 80)).toContain(name);
      expect(flagTable()).toContain(`\`${name}\``);
    }
  }
});
