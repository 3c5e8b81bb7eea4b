/**
 * `bun scripts/page.ts`: bundles `src/protocol/page/client` into one page of HTML, which lies in the tree so that
 * neither a run from source nor the executable needs a bundler. `--check` fails where it is not what the client makes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOM = join(import.meta.dir, "..", "src", "protocol", "page");
const CLIENT = join(ROOM, "client");
const BUILT = join(ROOM, "built.ts");

async function bundled(file: string): Promise<string> {
  const result = await Bun.build({ entrypoints: [join(CLIENT, file)], target: "browser", minify: true });
  const [output] = result.outputs;
  if (output === undefined) throw new Error(`${file} was not bundled`);
  return (await output.text()).trim();
}

const [style, script] = await Promise.all([bundled("style.css"), bundled("main.ts")]);
// A closing tag inside would end the element.
if (/<\/(script|style)/i.test(style + script)) throw new Error("The bundle holds a closing tag.");
const html = readFileSync(join(CLIENT, "page.html"), "utf8")
  .replace("/*STYLE*/", () => style)
  .replace("/*SCRIPT*/", () => script);
const text = `/** Written by scripts/page.ts from client/. */\nexport const PAGE = ${JSON.stringify(html)};\n`;
if (!process.argv.includes("--check")) {
  writeFileSync(BUILT, text);
  console.log(`${BUILT}: ${html.length} characters`);
} else if (readFileSync(BUILT, "utf8") !== text) {
  console.error("The page is not what its client makes. Run: bun scripts/page.ts");
  process.exit(1);
}
