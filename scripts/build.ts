/**
 * `bun run build`: makes `dist/warmturn` for this machine. `--target NAME` builds for another one, as
 * `dist/NAME/warmturn`; `--outfile FILE` names another place. Targets: scripts/build/targets.ts.
 */
import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { buildExecutable } from "./build/buildExecutable.ts";
import { ownTarget, targetNamed } from "./build/targets.ts";

const ROOT = join(import.meta.dir, "..");

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

try {
  const named = option("--target");
  const target = named === undefined ? ownTarget() : targetNamed(named);
  if (target === undefined) throw new Error(`Nothing can be built for ${process.platform}-${process.arch}.`);
  const place = named === undefined ? join(ROOT, "dist") : join(ROOT, "dist", target.name);
  const outfile = option("--outfile") ?? join(place, "warmturn");
  await buildExecutable(target, outfile);
  const mib = (statSync(outfile).size / 2 ** 20).toFixed(0);
  console.log(`${relative(process.cwd(), outfile)} (${mib} MiB, llama.cpp from ${target.package})`);
} catch (error) {
  const errors = error instanceof AggregateError ? error.errors : [error];
  for (const one of errors) console.error(one instanceof Error ? one.message : String(one));
  process.exit(1);
}
