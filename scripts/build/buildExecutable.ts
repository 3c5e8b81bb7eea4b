/**
 * One executable: sources, both Workers, the shim, llama.cpp's libraries and the demo model inside. Not minified: Elysia
 * and error messages read function text.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { librariesOf } from "./librariesOf.ts";
import type { Target } from "./targets.ts";

const ROOT = join(import.meta.dir, "..", "..");

/** What libllama opens at run time: itself, ggml, and each backend; no add-on of others, no tools. */
const LIBRARY = /^lib(llama|ggml)[^/]*\.(so|dylib)(\.\d+)*$|\.metal(lib)?$/;
const NOT_NEEDED = /^libllama-common/;

export function librariesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => LIBRARY.test(name) && !NOT_NEEDED.test(name))
    .sort();
}

/** Throws what the bundler says. */
export async function buildExecutable(target: Target, outfile: string): Promise<void> {
  const folder = await librariesOf(target);
  const entry = join(ROOT, ".cache", "build", target.name, "entry.ts");
  mkdirSync(dirname(entry), { recursive: true });
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(entry, entrySource(entry, folder));
  const result = await Bun.build({
    entrypoints: [entry, join(ROOT, "src/engine/worker.ts"), join(ROOT, "src/warm/worker.ts")],
    // Workers are found below this root: src/base/workerUrl.ts.
    root: ROOT,
    target: "bun",
    // A server must not take settings from whatever folder it is started in.
    compile: { target: target.bun, outfile, autoloadDotenv: false, autoloadBunfig: false },
  });
  if (!result.success) throw new Error(result.logs.map(String).join("\n"));
}

function entrySource(entry: string, folder: string): string {
  const names = librariesIn(folder);
  const from = (path: string): string => JSON.stringify(`./${relative(dirname(entry), path)}`);
  const imports = names.map(
    (name, i) => `import file${i} from ${from(join(folder, name))} with { type: "file" };`,
  );
  const table = names.map((name, i) => `  ${JSON.stringify(name)}: file${i},`);
  return [
    "// Written by scripts/build.ts.",
    ...imports,
    `import demo from ${from(join(ROOT, "models/demo/demo.gguf"))} with { type: "file" };`,
    `import { provideDemoModel } from ${from(join(ROOT, "src/config/demoModel.ts"))};`,
    `import { provideEmbedded } from ${from(join(ROOT, "ffi/embedded.ts"))};`,
    `provideEmbedded({\n${table.join("\n")}\n});`,
    "provideDemoModel(demo);",
    `await import(${from(join(ROOT, "src/main.ts"))});`,
    "",
  ].join("\n");
}
