/** A file of settings is the table of flags once more: same names, same rules, the lowest rank. */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { ConfigError } from "../../../src/config/ConfigError.ts";
import { FLAGS } from "../../../src/config/flags.ts";
import { helpText } from "../../../src/config/help.ts";
import { type Env, parseTable } from "../../../src/config/parseFlags.ts";
import { printConfig } from "../../../src/config/printConfig.ts";
import { settingName } from "../../../src/config/Setting.ts";

const folder = mkdtempSync(join(tmpdir(), "warmturn-config-"));
const file = join(folder, "warmturn.toml");
afterAll(() => rmSync(folder, { recursive: true }));

function read(toml: string, argv: readonly string[] = [], env: Env = {}) {
  writeFileSync(file, toml, { mode: 0o600 });
  return parseTable(FLAGS, ["--config", file, ...argv], env);
}

const refusal = (toml: string): string => {
  try {
    read(toml);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("nothing was thrown");
};

describe("what a file may hold", () => {
  test("each flag by its name, in either spelling, with TOML's own kinds", () => {
    const { flags } = read(`
      model = "a.gguf"
      ctx_size = 4096
      mmap = false
      temp = 0.5
      state-ram = "8G"
      api-key = ["desk=one", "two"]
      cors-origins = "https://a.example,localhost"
      n-gpu-layers = "all"
    `);
    expect(flags).toMatchObject({
      model: "a.gguf",
      ctxSize: 4096,
      mmap: false,
      temperature: 0.5,
      stateRam: 8 * 2 ** 30,
      apiKeys: [
        { name: "desk", key: "one" },
        { name: null, key: "two" },
      ],
      corsOrigins: ["https://a.example", "localhost"],
      gpuLayers: -1,
    });
  });

  test("the command line wins over the environment, that over the file, that over the default", () => {
    const toml = "port = 4";
    expect(read(toml, ["--port", "1"], { WARMTURN_PORT: "2", LLAMA_ARG_PORT: "3" }).flags.port).toBe(1);
    expect(read(toml, [], { WARMTURN_PORT: "2", LLAMA_ARG_PORT: "3" }).flags.port).toBe(2);
    expect(read(toml, [], { LLAMA_ARG_PORT: "3" }).flags.port).toBe(3);
    expect(read(toml).flags.port).toBe(4);
    expect(read("").flags.port).toBe(8080);
    expect(parseTable(FLAGS, [], { WARMTURN_CONFIG: file }).flags.config).toBe(file);
  });

  test.each([
    ["ctx-sise = 1", "there is no setting ctx-sise. Did you mean ctx-size?"],
    ["api_keys = 'a'", "there is no setting api_keys. Did you mean api-key?"],
    ["zzzzzz = 1", "there is no setting zzzzzz. warmturn --help lists all, here without their dashes."],
    ["m = 'a.gguf'", "there is no setting m."],
    ["no-mmap = true", "there is no setting no-mmap."],
    ["config = 'other.toml'", "there is no setting config."],
    ["[server]\nport = 1", "there is no section [server]; settings stand at the top of the file."],
    ["port = 'http'", 'port is "http"; allowed is a whole number from 0 to 65535.'],
    ["port = [1, 2]", "port takes one value, not a list."],
    ["port = 1\nport_ = 2", "there is no setting port_. Did you mean port?"],
    ["temp = 1\ntemperature = 2", "sets temp twice, the second time as temperature."],
    ["api-key = [['a']]", "api-key is neither a text, a number, true or false, nor a list of these."],
    ["port = ", "is no TOML"],
  ])("%p is refused by name", (toml, says) => {
    expect(refusal(toml)).toContain(says);
    expect(refusal(toml)).toContain(file);
  });

  test("a key that cannot be read is not shown; a file that is not there is named", () => {
    expect(refusal('api-key = ["s3cret", ""]')).not.toContain("s3cret");
    expect(() => parseTable(FLAGS, ["--config", "/no/such.toml"], {})).toThrow(
      "--config: /no/such.toml cannot be read",
    );
  });

  test.skipIf(process.platform === "win32")("keys that others can read are told", () => {
    expect(read("api-key = 'a'").notes).toEqual([]);
    writeFileSync(file, "api-key = 'a'");
    chmodSync(file, 0o644);
    expect(parseTable(FLAGS, ["--config", file], {}).notes[0]).toContain(`chmod 600 ${file}`);
    writeFileSync(file, "port = 1");
    expect(parseTable(FLAGS, ["--config", file], {}).notes).toEqual([]);
  });
});

describe("--print-config", () => {
  const printed = (argv: readonly string[], env: Env = {}): string =>
    printConfig("1", parseTable(FLAGS, argv, env).settings);

  test("each setting with its source, defaults as comments, keys never", () => {
    writeFileSync(file, "queue-max = 7");
    const text = printed(["-c", "4096", "--no-mmap", "--config", file, "--api-key", "s3cret,desk=s4cret"], {
      LLAMA_ARG_HOST: "::1",
    });
    expect(text).toContain("\nctx-size = 4096  # -c\n");
    expect(text).toContain("\nmmap = false  # --no-mmap\n");
    expect(text).toContain('\nhost = "::1"  # LLAMA_ARG_HOST\n');
    expect(text).toContain(`\nqueue-max = 7  # in ${file}\n`);
    expect(text).toContain("\n# port = 8080\n");
    expect(text).toContain("\n# api-key: 2 keys (key-1, desk), not shown  # --api-key\n");
    expect(text).not.toMatch(/s[34]cret/);
    for (const flag of Object.values(FLAGS)) {
      if (!("notIn" in flag)) expect(text).toContain(`${settingName(flag)}`);
    }
  });

  test("read again, it is the same settings", () => {
    const word = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
      .filter((text) => !text.startsWith("-"));
    const given = fc.record({
      "--model": word,
      "--alias": word,
      "--ctx-size": fc.nat(2 ** 31 - 1).map(String),
      "--temp": fc.double({ min: 0, max: 5, noNaN: true }).map(String),
      "--yarn-ext-factor": fc.double({ min: -9, max: 9, noNaN: true }).map(String),
      "--state-ram": fc.constantFrom("1.5G", "512", "0"),
      "--seed": fc.integer({ min: -1, max: 2 ** 32 - 1 }).map(String),
      "--tensor-split": fc.constantFrom("3,1", "1"),
      "--dry-sequence-breaker": word,
      "--warm": fc.constantFrom("on", "off"),
      "--slots": fc.constantFrom("on", "off"),
    });
    fc.assert(
      fc.property(given, (flags) => {
        const argv = Object.entries(flags).map(([name, value]) => `${name}=${value}`);
        const first = parseTable(FLAGS, argv, {});
        const again = read(printConfig("1", first.settings));
        expect(again.flags).toEqual({ ...first.flags, config: file });
      }),
    );
  });
});

test("the help is as wide as the terminal, and has every flag under one heading", () => {
  for (const columns of [40, 60, 80, 120, 200]) {
    const lines = helpText("1", [{ left: "serve", right: "serve a model" }], columns).split("\n");
    const wide = lines.filter((line) => Bun.stringWidth(line) > columns && line.trim().includes(" "));
    expect([columns, wide.filter((line) => !/Usage|\||[=,;]\S+$/.test(line))]).toEqual([columns, []]);
    const spelt = lines.filter((line) => /^ {2}-.*--ctx-size/.test(line));
    expect(spelt).toHaveLength(1);
  }
});
