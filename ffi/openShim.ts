/**
 * Opens libllama through the shim: compiled by Bun's `cc` in a few milliseconds, or taken prebuilt from a
 * path. Once per thread and library; the compiled code is never freed, because llama.cpp's log may call it.
 */
import { cc, dlopen, type FFIFunction, linkSymbols } from "bun:ffi";
import { join } from "node:path";
import { cacheFolder } from "./cacheFolder.ts";
import { cString, readText } from "./cText.ts";
import { FfiError } from "./FfiError.ts";
import { keepFile } from "./keepFile.ts";
import { shimHash, shimSource } from "./shimSource.ts";
import { CODES, ffiSymbols, type Shim } from "./symbols.ts";

const opened = new Map<string, Shim>();

/**
 * @param libraryPath libllama itself.
 * @param prebuilt a shim built by a C compiler (`cc -shared -fPIC -O2 ffi/shim/shim.c`), else Bun compiles it.
 * @param preload libraries to load first, so that those that need them find them.
 * @throws FfiError("library") with what is needed.
 */
export function openShim(libraryPath: string, prebuilt?: string, preload: readonly string[] = []): Shim {
  const known = opened.get(libraryPath);
  if (known) return known;
  const first = opened.keys().next();
  if (!first.done) {
    throw new FfiError("library", `this thread already uses ${first.value}; a process has one libllama`);
  }
  const shim = prebuilt ? loadPrebuilt(prebuilt) : compile();
  const version = shim.wt_shim_version();
  if (version !== CODES.WT_SHIM_VERSION) {
    throw new FfiError("library", `the shim is version ${version}, needed is ${CODES.WT_SHIM_VERSION}`);
  }
  for (const path of preload) shim.wt_preload(cString(path));
  const why = new Uint8Array(1024);
  if (shim.wt_open(cString(libraryPath), why, why.byteLength) < 0) {
    throw new FfiError(
      "library",
      `${libraryPath} is not libllama v0.4.0, which is needed (package @node-llama-cpp 3.21.1): ${readText(why)}`,
    );
  }
  opened.set(libraryPath, shim);
  return shim;
}

function compile(): Shim {
  const source = shimSource();
  const name = `shim-${shimHash(source)}.c`;
  const path = keepFile(join(cacheFolder(), "shim"), name, new TextEncoder().encode(source));
  const table = ffiSymbols() as Record<string, FFIFunction>;
  const compiled = cc({ source: path, symbols: table, flags: NO_LIBRARIES });
  compiledShims.push(compiled);
  return rebound(compiled.symbols, table);
}

/** What the shim calls lies in the process already; without this flag a machine would need the files of a C compiler (libc.so). */
const NO_LIBRARIES = ["-nostdlib"];

/** Referenced for ever: the code that `rebound` points into must not be freed. */
const compiledShims: unknown[] = [];

/**
 * The functions that `cc` of Bun 1.4.5 gives do not convert integers: a whole number that JavaScript happens to
 * hold as a double arrives in C as 0, without an error. Bound again by their addresses, they convert.
 */
function rebound(symbols: Record<string, unknown>, table: Record<string, FFIFunction>): Shim {
  const pointers = Object.entries(table).map(([name, signature]) => {
    const { ptr } = symbols[name] as { readonly ptr: NonNullable<FFIFunction["ptr"]> };
    return [name, { ...signature, ptr }] as const;
  });
  return linkSymbols(Object.fromEntries(pointers)).symbols as unknown as Shim;
}

function loadPrebuilt(path: string): Shim {
  try {
    return dlopen(path, ffiSymbols() as Record<string, FFIFunction>).symbols as unknown as Shim;
  } catch (error) {
    throw new FfiError("library", `the shim ${path} cannot be opened: ${String(error)}`);
  }
}
