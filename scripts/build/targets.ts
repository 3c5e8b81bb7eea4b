/**
 * What an executable can be built for: Bun's name of the platform, and the package with llama.cpp's libraries. Windows is
 * missing: the shim opens libllama by its ELF and Mach-O names, and nothing here was ever run there.
 */
export interface Target {
  readonly name: string;
  /** For `bun build --compile --target`. */
  readonly bun: Bun.Build.CompileTarget;
  readonly os: "linux" | "darwin";
  readonly cpu: "x64" | "arm64";
  /** Of @node-llama-cpp, the version that package.json pins. */
  readonly package: string;
  /** Its libraries of CUDA itself, which a machine may lack; not embedded, they are 1 GB. */
  readonly needs: string;
}

const CUDA = "libcudart.so.13 and libcublas.so.13, from CUDA 13";

export const TARGETS: readonly Target[] = [
  target("linux-x64", "bun-linux-x64", "linux-x64"),
  target("linux-arm64", "bun-linux-arm64", "linux-arm64"),
  target("darwin-arm64", "bun-darwin-arm64", "mac-arm64-metal"),
  target("darwin-x64", "bun-darwin-x64", "mac-x64"),
  target("linux-x64-cuda", "bun-linux-x64", "linux-x64-cuda", CUDA),
  target("linux-x64-vulkan", "bun-linux-x64", "linux-x64-vulkan", "a Vulkan driver and libvulkan.so.1"),
];

function target(name: string, bun: Bun.Build.CompileTarget, suffix: string, needs = ""): Target {
  const [os = "", cpu = ""] = name.split("-");
  return {
    name,
    bun,
    os: os === "darwin" ? "darwin" : "linux",
    cpu: cpu === "arm64" ? "arm64" : "x64",
    package: `@node-llama-cpp/${suffix}`,
    needs,
  };
}

/** Throws a sentence that names those there are. */
export function targetNamed(name: string): Target {
  const found = TARGETS.find((one) => one.name === name);
  if (found !== undefined) return found;
  const known = TARGETS.map((one) => one.name).join(", ");
  throw new Error(`--target must be one of ${known}, not ${name}.`);
}

/** This machine's own. */
export function ownTarget(): Target | undefined {
  return TARGETS.find(({ os, cpu }) => os === process.platform && cpu === process.arch);
}
