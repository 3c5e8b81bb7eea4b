/** The folder with a target's libraries: of the installed package, else of one that is fetched for it. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_VERSION } from "../../ffi/library.ts";
import type { Target } from "./targets.ts";

const ROOT = join(import.meta.dir, "..", "..");

/** Throws where the package cannot be had. */
export async function librariesOf(target: Target): Promise<string> {
  const installed = binsOf(join(ROOT, "node_modules", target.package));
  if (installed !== null) return installed;
  const folder = join(ROOT, ".cache", "build", target.name);
  const fetched = join(folder, "node_modules", target.package);
  if (binsOf(fetched) === null) await fetchPackage(target, folder);
  const bins = binsOf(fetched);
  if (bins === null) throw new Error(`${target.package}@${PACKAGE_VERSION} holds no libraries.`);
  return bins;
}

/** The package's one folder of binaries. */
function binsOf(folder: string): string | null {
  const bins = join(folder, "bins");
  if (!existsSync(bins)) return null;
  const [only] = readdirSync(bins);
  return only === undefined ? null : join(bins, only);
}

async function fetchPackage(target: Target, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const dependencies = { [target.package]: PACKAGE_VERSION };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  const install = ["install", `--os=${target.os}`, `--cpu=${target.cpu}`];
  const child = Bun.spawn([process.execPath, ...install], { cwd: folder, stdout: "ignore", stderr: "pipe" });
  const [complaint, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code !== 0)
    throw new Error(`${target.package}@${PACKAGE_VERSION} could not be fetched: ${complaint.trim()}`);
}
