/**
 * Makes `dist/warmturn`: one executable with the sources, both Workers, the shim, llama.cpp's libraries
 * and the demo model inside. Not minified: Elysia and error messages read function text. `--outfile FILE` names another place.
 */
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { findLibrary } from "../ffi/library.ts";

const ROOT = join(import.meta.dir, "..");
const ENTRY = join(ROOT, ".cache", "build", "entry.ts");

/** What libllama opens at run time: itself, ggml, and each backend; no add-on of others, no tools. */
const LIBRARY = /^lib(llama|ggml)[^/]*\.(so|dylib)(\.\d+)*$|\.metal(lib)?$/;
const NOT_NEEDED = /^libllama-common/;

function entrySource(folder: string): string {
  const names = readdirSync(folder)
    .filter((name) => LIBRARY.test(name) && !NOT_NEEDED.test(name))
    .sort();
  const from = (path: string): string => JSON.stringify(relative(dirname(ENTRY), path));
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

const at = process.argv.indexOf("--outfile");
const outfile = process.argv[at < 0 ? -1 : at + 1] ?? join(ROOT, "dist", "warmturn");
const [library] = findLibrary();
if (library === undefined) throw new Error("no libllama was found: bun install");
mkdirSync(dirname(ENTRY), { recursive: true });
mkdirSync(dirname(outfile), { recursive: true });
writeFileSync(ENTRY, entrySource(library.folder));
const result = await Bun.build({
  entrypoints: [ENTRY, join(ROOT, "src/engine/worker.ts"), join(ROOT, "src/warm/worker.ts")],
  // Workers are found below this root: src/base/workerUrl.ts.
  root: ROOT,
  target: "bun",
  // A server must not take settings from whatever folder it is started in.
  compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
});
for (const message of result.logs) console.error(message);
if (!result.success) process.exit(1);
const mib = (statSync(outfile).size / 2 ** 20).toFixed(0);
console.log(`${outfile} (${mib} MiB, llama.cpp from ${library.packageName || basename(library.path)})`);
