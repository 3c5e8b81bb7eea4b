/**
 * Finds libllama v0.4.0: an explicit path, then the installed `@node-llama-cpp` package of this platform,
 * then the files inside the executable. What it finds is opened and checked by `openShim`; here a package of
 * another version is refused by name, before any of its code runs.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { embeddedLibrary } from "./embedded.ts";
import { FfiError } from "./FfiError.ts";

/** The only version whose structs the shim knows. */
export const PACKAGE_VERSION = "3.21.1";

export interface FoundLibrary {
  readonly path: string;
  /** Where the backends (`libggml-cpu-*.so`, CUDA, Metal) lie. */
  readonly folder: string;
  readonly origin: "explicit" | "package" | "embedded";
  /** `@node-llama-cpp/linux-x64-cuda`; empty unless `origin` is `package`. */
  readonly packageName: string;
  /** Libraries to load first, in order: the CUDA runtime of the `-ext` package. */
  readonly preload: readonly string[];
}

export interface LibrarySearch {
  /** `--llama-lib` or `WARMTURN_LLAMA_LIB`: a file, or a folder that holds it. */
  readonly explicit?: string | undefined;
  /** Folder from which `node_modules` is looked for, upwards. */
  readonly from?: string;
  readonly platform?: NodeJS.Platform;
  readonly arch?: string;
  readonly nvidia?: boolean;
}

/** Candidates, best first; the caller opens the first that opens. @throws FfiError("library") when none. */
export function findLibrary(search: LibrarySearch = {}): FoundLibrary[] {
  if (search.explicit) return [explicitLibrary(search.explicit)];
  const found = packageNames(search).flatMap((name) => packageLibrary(name, search.from ?? moduleFolder()));
  if (found.length > 0) return found;
  const embedded = embeddedLibrary();
  if (embedded) return [inFolder(embedded, "embedded", "")].filter((one) => one !== null);
  const platform = `${search.platform ?? process.platform}-${search.arch ?? process.arch}`;
  throw new FfiError(
    "library",
    `No libllama for ${platform}: install @node-llama-cpp ${PACKAGE_VERSION} (bun install), or name one with --llama-lib or WARMTURN_LLAMA_LIB.`,
  );
}

/** Whether this machine has an NVIDIA card with its driver. */
export function hasNvidia(): boolean {
  return existsSync("/proc/driver/nvidia") || existsSync("/dev/nvidia0");
}

export const CUDA_PACKAGE = "@node-llama-cpp/linux-x64-cuda";

/** The sentence for a machine whose NVIDIA card is not used, or "" when there is nothing to say. */
export function nvidiaAdvice(found: FoundLibrary, gpus: number, nvidia = hasNvidia()): string {
  if (!nvidia || gpus > 0) return "";
  if (found.packageName !== CUDA_PACKAGE) {
    return `This machine has an NVIDIA card that is not used: bun add -E ${CUDA_PACKAGE}@${PACKAGE_VERSION}`;
  }
  return `The CUDA backend did not load: it needs libcudart.so.13 and libcublas.so.13, from CUDA 13 or by bun add -E ${CUDA_PACKAGE}-ext@${PACKAGE_VERSION}`;
}

function packageNames(search: LibrarySearch): string[] {
  const platform = search.platform ?? process.platform;
  const arch = search.arch ?? process.arch;
  if (platform === "darwin") {
    return arch === "arm64" ? ["@node-llama-cpp/mac-arm64-metal"] : ["@node-llama-cpp/mac-x64"];
  }
  if (platform !== "linux") return [];
  if (arch === "arm64") return ["@node-llama-cpp/linux-arm64"];
  if (arch !== "x64") return [];
  return (search.nvidia ?? hasNvidia())
    ? [CUDA_PACKAGE, "@node-llama-cpp/linux-x64"]
    : ["@node-llama-cpp/linux-x64"];
}

/** In a compiled executable the sources lie in a virtual folder: packages are looked for beside the file. */
function moduleFolder(): string {
  return import.meta.dir.includes("$bunfs") || import.meta.dir.includes("~BUN")
    ? dirname(process.execPath)
    : import.meta.dir;
}

function packageFolder(name: string, from: string): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", ...name.split("/"));
    if (existsSync(join(candidate, "package.json"))) return candidate;
    if (dirname(folder) === folder) return null;
  }
}

function packageLibrary(name: string, from: string): FoundLibrary[] {
  const folder = packageFolder(name, from);
  if (!folder) return [];
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: string };
  if (version !== PACKAGE_VERSION) {
    throw new FfiError(
      "library",
      `${name} is version ${version}; needed is ${PACKAGE_VERSION}: bun add -E ${name}@${PACKAGE_VERSION}`,
    );
  }
  const found = inPackage(folder, name, from);
  return found ? [found] : [];
}

function inPackage(folder: string, name: string, from: string): FoundLibrary | null {
  for (const bins of subfolders(join(folder, "bins"))) {
    const found = inFolder(bins, "package", name);
    if (found) return name === CUDA_PACKAGE ? { ...found, preload: cudaRuntime(from) } : found;
  }
  return null;
}

/** Dependencies before what needs them. */
const CUDA_RUNTIME = [/^libcudart\.so/, /^libcublasLt\.so/, /^libcublas\.so/];

function cudaRuntime(from: string): string[] {
  const folder = packageFolder(`${CUDA_PACKAGE}-ext`, from);
  if (!folder) return [];
  const files = subfolders(join(folder, "bins")).flatMap((bins) =>
    readdirSync(bins).map((file) => join(bins, file)),
  );
  return CUDA_RUNTIME.flatMap((name) => files.filter((file) => name.test(basename(file))));
}

function subfolders(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}

function explicitLibrary(given: string): FoundLibrary {
  const path = resolve(given);
  if (!existsSync(path)) throw new FfiError("library", `--llama-lib: there is no ${path}`);
  if (!statSync(path).isDirectory()) {
    return { path, folder: dirname(path), origin: "explicit", packageName: "", preload: [] };
  }
  const folders = [path, ...subfolders(join(path, "bins"))];
  const found = folders.map((folder) => inFolder(folder, "explicit", "")).find((one) => one !== null);
  if (!found) throw new FfiError("library", `--llama-lib: the folder ${path} holds no libllama`);
  return found;
}

/** `libllama.v0.4.0.so`, `libllama.cuda.v0.4.0.so`, `libllama.metal.v0.4.0.dylib`, or a self-built `libllama.so`. */
const LIBRARY_FILE = /^libllama(\.[a-z0-9]+)?(\.v0\.4\.0)?\.(so|dylib)$/;

function inFolder(folder: string, origin: FoundLibrary["origin"], packageName: string): FoundLibrary | null {
  const names = readdirSync(folder).filter((name) => LIBRARY_FILE.test(name));
  const name = names.sort((a, b) => b.length - a.length)[0];
  return name ? { path: join(folder, name), folder, origin, packageName, preload: [] } : null;
}
