/** The packages inside an executable, as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/). */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_VERSION } from "../../ffi/library.ts";
import { dependencies, engines, license, name, version } from "../../package.json";
import type { Target } from "./targets.ts";

const MODULES = join(import.meta.dir, "..", "..", "node_modules");

interface Component {
  readonly type: "library" | "platform" | "application";
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly object[];
}

export function sbomOf(target: Target): object {
  const inside = [...npmPackages(Object.keys(dependencies)).values()];
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", name, version, licenses: [{ license: { id: license } }] },
      properties: [{ name: "target", value: target.name }],
    },
    components: [
      { type: "platform", name: "bun", version: engines.bun, purl: `pkg:npm/bun@${engines.bun}` },
      library(target.package, PACKAGE_VERSION, "MIT"),
      ...inside.sort((a, b) => (a.purl < b.purl ? -1 : 1)),
    ],
  };
}

/** With what they depend on, as they are installed. */
function npmPackages(names: readonly string[], from = MODULES, found = new Map<string, Component>()) {
  for (const one of names) {
    const nested = join(from, "node_modules", one, "package.json");
    const path = existsSync(nested) ? nested : join(MODULES, one, "package.json");
    if (!existsSync(path)) continue;
    const file = JSON.parse(readFileSync(path, "utf8")) as {
      readonly version: string;
      readonly license?: string;
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    const component = library(one, file.version, file.license);
    if (found.has(component.purl)) continue;
    found.set(component.purl, component);
    npmPackages(Object.keys(file.dependencies ?? {}), join(path, ".."), found);
  }
  return found;
}

function library(name: string, version: string, license: string | undefined): Component {
  const licenses = license === undefined ? {} : { licenses: [{ license: { id: license } }] };
  return {
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    ...licenses,
  };
}
