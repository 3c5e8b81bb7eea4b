/** `warmturn doctor` as it is typed: from source, or the executable where WARMTURN_TEST_BINARY names it. */
import { beforeAll, describe, expect, test } from "bun:test";
import { commandName, runCommand } from "../support/Command.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const FLAGS = ["-t", "1", "-c", "1024", "-ub", "64", "-ngl", "0", "--state-ram", "16M"];
const TEST_MS_MAX = 60_000;

describe(`doctor (${commandName})`, () => {
  let model: string;
  beforeAll(async () => {
    model = (await tinyModel("lfm2")).path;
  });

  test(
    "--json is one object, flags of the server are heeded, and well is 0",
    async () => {
      const { code, stdout, stderr } = await runCommand(["doctor", model, "--json", ...FLAGS]);
      const report = JSON.parse(stdout);
      expect([code, stderr, report.ok, report.schema]).toEqual([0, "", true, 1]);
      expect(Object.keys(report)).toEqual(
        "schema version ok machine library model template memory exactness findings".split(" "),
      );
      expect(report.memory).toMatchObject({ threads: 1, ctx_tokens: 1024, state_ram_bytes: 16 * 2 ** 20 });
      expect(report.model.memory).toBe("hybrid");
    },
    TEST_MS_MAX,
  );

  test(
    "text without colours where nobody can see them; the model by -m, too",
    async () => {
      const { code, stdout, stderr } = await runCommand(["doctor", "-m", model, ...FLAGS]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).not.toContain("\x1b");
      for (const title of ["Machine", "llama.cpp", "Model", "Chat template", "Memory", "Exactness"]) {
        expect(stdout).toContain(`\n${title}\n`.replace(/^\nMachine/, "Machine"));
      }
      expect(stdout).toEndWith("All is well.\n");
    },
    TEST_MS_MAX,
  );

  test("a missing file is one sentence, and 1; in JSON, too", async () => {
    const says = "Cannot load /no/such.gguf: there is no such file.";
    const text = await runCommand(["doctor", "/no/such.gguf"]);
    expect([text.code, text.stderr]).toEqual([1, ""]);
    expect(text.stdout.split("\n").filter((line) => line.includes(says))).toEqual([`wrong  ${says}`]);
    const { code, stdout } = await runCommand(["doctor", "/no/such.gguf", "--json"]);
    const { ok, findings } = JSON.parse(stdout);
    expect([code, ok]).toEqual([1, false]);
    expect(findings[0]).toMatchObject({ level: "wrong", about: "model", says });
  });

  test("a library that is not there", async () => {
    const { code, stdout } = await runCommand(["doctor", "--llama-lib", "/no/lib", "--json"]);
    expect(code).toBe(1);
    const { library, findings } = JSON.parse(stdout);
    // Others may follow: how busy the machine is.
    const [{ level, about, says }] = findings;
    expect([library, level, about]).toEqual([null, "wrong", "library"]);
    expect(says).toContain("/no/lib");
  });

  test("what is typed wrong is a sentence on stderr", async () => {
    const cases: [string[], string][] = [
      [["doctor", "--jsn"], "Did you mean --json?"],
      [["doctor", "a.gguf", "b.gguf"], "b.gguf"],
      [["doctor", model, "--threads", "none"], "--threads"],
      [["doctor", "owner/repo"], "Did you mean -m hf:owner/repo?"],
    ];
    for (const [args, says] of cases) {
      const { code, stdout, stderr } = await runCommand(args);
      expect([args, code, stdout]).toEqual([args, 1, ""]);
      expect(stderr).toStartWith("warmturn: ");
      expect(stderr).toContain(says);
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
  });

  test("help names its own flag and the server's", async () => {
    const { code, stdout } = await runCommand(["doctor", "--help"]);
    expect(code).toBe(0);
    for (const word of ["Usage: warmturn doctor [MODEL]", "--json", "--state-ram"])
      expect(stdout).toContain(word);
  });
});
