/** Clients from npm into a folder of the runner's: exact versions, no scripts of theirs. Network is needed here alone. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type ClientSpec, PLATFORM } from "./specs/ClientSpec.ts";

/** What the clients that are JavaScript ask for. */
const NODE_MAJOR_MIN = 22;
const NODE_VERSION = "24.22.3";
const INSTALL_MS_MAX = 300_000;

export type Installed =
  | { readonly folder: string; readonly path: readonly string[] }
  /** One sentence: why it could not be. */
  | { readonly why: string };

export async function install(spec: ClientSpec, into: string): Promise<Installed> {
  const folder = join(into, spec.name.toLowerCase().replace(/\W+/g, "-"));
  const why = await addPackages(folder, spec.packages);
  if (why !== null) return { why };
  if (!spec.needsNode || systemNodeMajor() >= NODE_MAJOR_MIN) return { folder, path: systemNode() };
  const node = join(into, "node");
  const noNode = await addPackages(node, [`node-${PLATFORM}@${NODE_VERSION}`]);
  if (noNode !== null) return { why: noNode };
  return { folder, path: [join(node, "node_modules", `node-${PLATFORM}`, "bin")] };
}

/** Null, or why not. A folder that has them already is not asked for again. */
async function addPackages(folder: string, packages: readonly string[]): Promise<string | null> {
  const done = Bun.file(join(folder, "installed"));
  if ((await done.exists()) && (await done.text()) === packages.join()) return null;
  await mkdir(folder, { recursive: true });
  await Bun.write(join(folder, "package.json"), '{ "private": true }\n');
  const child = Bun.spawn([process.execPath, "add", "--exact", "--ignore-scripts", ...packages], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: INSTALL_MS_MAX,
  });
  const [, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const said = stderr.split("\n").findLast((line) => line.includes("error")) ?? `exit ${code}`;
  if (code !== 0) return `${packages.join(" ")} could not be installed (${said.trim()})`;
  await Bun.write(done, packages.join());
  return null;
}

function systemNode(): string[] {
  const node = Bun.which("node");
  return node === null ? [] : [join(node, "..")];
}

function systemNodeMajor(): number {
  const node = Bun.which("node");
  if (node === null) return 0;
  const version = Bun.spawnSync([node, "--version"]).stdout.toString();
  return Number(/^v(\d+)/.exec(version)?.[1] ?? 0);
}
