/**
 * The borders of the code: the planner is called by the request path and the warm path alone, `bun:ffi` is
 * imported in `ffi/` alone, and each rule of `.dependency-cruiser.cjs` catches an import that it forbids.
 */
import { describe, expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..", "..");
/** Everything that can run in a server, and the scripts that start or measure one. */
const FOLDERS = ["src", "ffi", "scripts", "bench"];

interface Source {
  readonly path: string;
  /** Without comments. */
  readonly code: string;
}

function sources(): Source[] {
  return FOLDERS.flatMap((folder) => {
    const names = readdirSync(join(ROOT, folder), { recursive: true }) as string[];
    return names
      .filter((name) => /\.(ts|cjs|mjs|js)$/.test(name))
      .map((name) => {
        const path = `${folder}/${name}`;
        const code = readFileSync(join(ROOT, path), "utf8").replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");
        return { path, code };
      });
  });
}

const namers = (word: RegExp): string[] =>
  sources()
    .filter(({ code }) => word.test(code))
    .map(({ path }) => path)
    .sort();

describe("one planner", () => {
  test("requestChunks is called by the request path and the warm path, and by nothing else", () => {
    expect(namers(/\brequestChunks\b/)).toEqual([
      "src/plan/requestChunks.ts",
      "src/serve/runTurn.ts",
      "src/warm/planJob.ts",
    ]);
  });

  test("and each calls it once", () => {
    for (const path of ["src/serve/runTurn.ts", "src/warm/planJob.ts"]) {
      const code = sources().find((source) => source.path === path)?.code ?? "";
      expect(code.match(/\brequestChunks\(/g)).toHaveLength(1);
    }
  });

  test("there is no other way to cut: nobody else scans for cuts or chains keys", () => {
    expect(namers(/\bscanCuts\b/)).toEqual(["src/plan/requestChunks.ts"]);
    expect(namers(/\b(?:class|new) KeyChain\b/)).toEqual([
      "src/plan/KeyChain.ts",
      "src/plan/requestChunks.ts",
    ]);
  });
});

test("only ffi/ imports bun:ffi", () => {
  const importers = namers(/["'`]bun:ffi["'`]/);
  expect(importers.filter((path) => !path.startsWith("ffi/"))).toEqual([]);
  expect(importers).not.toEqual([]);
});

/** Of each rule an import that it forbids: which file, and what it imports. */
const PLANTED: Readonly<Record<string, readonly [file: string, imported: string]>> = {
  "base-imports-only-what-it-names": ["src/base/knowsJson.ts", "src/json/json.ts"],
  "json-imports-only-what-it-names": ["src/json/knowsErrors.ts", "src/base/AppError.ts"],
  "plan-imports-only-what-it-names": ["src/plan/knowsState.ts", "src/state/Chain.ts"],
  "hub-imports-only-what-it-names": ["src/hub/knowsConfig.ts", "src/config/Config.ts"],
  "grammar-imports-only-what-it-names": ["src/grammar/knowsChat.ts", "src/chat/Message.ts"],
  "jinja-imports-only-what-it-names": ["src/jinja/knowsChat.ts", "src/chat/Message.ts"],
  "run-imports-only-what-it-names": ["src/run/knowsEngine.ts", "src/engine/EngineLoop.ts"],
  "ffi-imports-only-what-it-names": ["ffi/knowsState.ts", "src/state/StateKeeper.ts"],
  "state-imports-only-what-it-names": ["src/state/knowsLoop.ts", "src/engine/EngineLoop.ts"],
  "chat-imports-only-what-it-names": ["src/chat/knowsState.ts", "src/state/StateKeeper.ts"],
  "prompt-imports-only-what-it-names": ["src/prompt/knowsWarm.ts", "src/warm/planJob.ts"],
  "engine-imports-only-what-it-names": ["src/engine/knowsTemplates.ts", "src/prompt/Template.ts"],
  "warm-imports-only-what-it-names": ["src/warm/knowsServe.ts", "src/serve/runTurn.ts"],
  "serve-imports-only-what-it-names": ["src/serve/knowsOpenAi.ts", "src/protocol/openai/index.ts"],
  "protocol-imports-only-what-it-names": ["src/protocol/knowsEngine.ts", "src/engine/EngineClient.ts"],
  "config-imports-only-what-it-names": ["src/config/knowsServe.ts", "src/serve/runTurn.ts"],
  "start-imports-only-what-it-names": ["src/start/knowsCommands.ts", "src/cli/commands.ts"],
  "cli-imports-only-what-it-names": ["src/cli/doctor/serves.ts", "src/serve/reply.ts"],
  "no-cycles": ["src/cycle.ts", "src/cycle2.ts"],
  "only-ffi-imports-bun-ffi": ["src/native.ts", "bun:ffi"],
  "one-planner": ["src/engine/cutsItself.ts", "src/plan/requestChunks.ts"],
  "only-the-engine-opens-a-context": ["src/second.ts", "ffi/Context.ts"],
};
/** Imports that are right. */
const RIGHT: readonly (readonly [file: string, imported: string])[] = [
  ["src/serve/runTurn.ts", "src/plan/requestChunks.ts"],
  ["src/warm/planJob.ts", "src/plan/requestChunks.ts"],
  ["src/engine/LlamaDevice.ts", "ffi/Context.ts"],
  ["ffi/openShim.ts", "bun:ffi"],
  ["src/cycle2.ts", "src/cycle.ts"],
];

/** `rule: file` of each violation that the checker finds in a tree of these imports alone. */
async function violations(
  imports: readonly (readonly [file: string, imported: string])[],
): Promise<string[]> {
  const tree = mkdtempSync(join(tmpdir(), "warmturn-imports-"));
  try {
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), text);
    };
    const files = imports.flat().filter((path) => !path.includes(":"));
    for (const path of files) write(path, "export {};\n");
    for (const [file, imported] of imports) {
      const from = imported.includes(":") ? imported : "../".repeat(file.split("/").length - 1) + imported;
      write(file, `import "${from}";\n`);
    }
    copyFileSync(join(ROOT, "tsconfig.json"), join(tree, "tsconfig.json"));
    const bin = join(ROOT, "node_modules", ".bin", "depcruise");
    const options = [
      "--config",
      join(ROOT, ".dependency-cruiser.cjs"),
      "--output-type",
      "json",
      "src",
      "ffi",
    ];
    const child = Bun.spawn([process.execPath, "--bun", bin, ...options], { cwd: tree, stderr: "pipe" });
    const [text, complaint] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if (text === "") throw new Error(complaint);
    const found: { rule: { name: string }; from: string }[] = JSON.parse(text).summary.violations;
    return found.map(({ rule, from }) => `${rule.name}: ${from}`);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

describe("import directions", () => {
  const { forbidden } = createRequire(import.meta.url)(join(ROOT, ".dependency-cruiser.cjs")) as {
    readonly forbidden: readonly { readonly name: string }[];
  };

  test("each rule has a planted import here", () => {
    expect(Object.keys(PLANTED)).toEqual(forbidden.map(({ name }) => name));
  });

  test("each planted import is caught by its rule", async () => {
    const found = await violations([...RIGHT, ...Object.values(PLANTED)]);
    for (const [rule, [file]] of Object.entries(PLANTED)) expect(found).toContain(`${rule}: ${file}`);
  });

  test("and what is right is not", async () => {
    expect(await violations(RIGHT)).toEqual([]);
  });
});
