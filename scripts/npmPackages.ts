/**
 * `bun run npm`: the packages that `npx warmturn` needs, packed in `dist/npm`: a small one with a launcher for Node, and
 * one a platform with the executable, which npm installs by `os` and `cpu`. Targets as arguments pack those alone. Nothing
 * is published: .github/workflows/release.yml does.
 */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { description, license, version } from "../package.json";
import { buildExecutable } from "./build/buildExecutable.ts";
import { TARGETS, type Target, targetNamed } from "./build/targets.ts";

const ROOT = join(import.meta.dir, "..");
const NPM = join(ROOT, "dist", "npm");
/** Of a platform with several there is one that npm installs. */
const PUBLISHED = ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64"];
const COMMON = { version, description, license, repository: "https://github.com/warmturn/warmturn" };

const named = process.argv.slice(2);
const targets = TARGETS.filter(({ name }) => (named.length > 0 ? named : PUBLISHED).includes(name));
for (const name of named) targetNamed(name);
rmSync(NPM, { recursive: true, force: true });

await pack("warmturn", launcherPackage());
for (const target of targets) await pack(target.name, await platformPackage(target));

/** Gives the folder to pack. */
function launcherPackage(): string {
  const folder = fresh("warmturn", {
    name: "warmturn",
    ...COMMON,
    bin: { warmturn: "warmturn.cjs" },
    files: ["warmturn.cjs"],
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(PUBLISHED.map((name) => [`@warmturn/${name}`, version])),
  });
  copyFileSync(join(ROOT, "scripts/npm/launcher.cjs"), join(folder, "warmturn.cjs"));
  copyFileSync(join(ROOT, "README.md"), join(folder, "README.md"));
  return folder;
}

async function platformPackage(target: Target): Promise<string> {
  const folder = fresh(target.name, {
    name: `@warmturn/${target.name}`,
    ...COMMON,
    os: [target.os],
    cpu: [target.cpu],
    files: ["warmturn", "THIRD_PARTY_NOTICES.md"],
    preferUnplugged: true,
  });
  const built = join(ROOT, "dist", target.name, "warmturn");
  await buildExecutable(target, built);
  copyFileSync(built, join(folder, "warmturn"));
  chmodSync(join(folder, "warmturn"), 0o755);
  copyFileSync(join(ROOT, "THIRD_PARTY_NOTICES.md"), join(folder, "THIRD_PARTY_NOTICES.md"));
  return folder;
}

function fresh(name: string, packageJson: object): string {
  const folder = join(NPM, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(packageJson, null, 2)}\n`);
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  return folder;
}

async function pack(name: string, folder: string): Promise<void> {
  const child = Bun.spawn([process.execPath, "pm", "pack", "--destination", NPM, "--quiet"], {
    cwd: folder,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, complaint, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${name} cannot be packed: ${complaint.trim()}`);
  const file = out.trim().split("\n").at(-1) ?? "";
  console.log(`${file} (${(readFileSync(file).length / 2 ** 20).toFixed(1)} MiB)`);
}
