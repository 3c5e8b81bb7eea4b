/** The symbol table says what `shim.h` says: every function, argument count and type, and every constant. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CODES, ffiSymbols, ORDERS, SYMBOLS } from "../../ffi/symbols.ts";

const SHIM = join(import.meta.dir, "../../ffi/shim");
const header = (await Bun.file(join(SHIM, "shim.h")).text()).replace(/\/\*[\s\S]*?\*\//g, "");

/** `int32_t wt_x(const char *a, int32_t b);` as [name, [returns, [type, name]…]]. */
function declarations(): Map<string, [string, ...[string, string][]]> {
  const out = new Map<string, [string, ...[string, string][]]>();
  for (const [, returns = "", name = "", list = ""] of header.matchAll(
    /WT_API (\w+) (wt_\w+)\(([^)]*)\);/g,
  )) {
    const args =
      list === "void"
        ? []
        : list.split(",").map((one): [string, string] => {
            const [, type = "", arg = ""] = /^\s*(.*?)\s*(\w+)\s*$/.exec(one) ?? [];
            return [type, arg];
          });
    out.set(name, [returns, ...args]);
  }
  return out;
}

/** Every `NAME = number` and `#define WT_SHIM_VERSION n`. */
function constants(): Map<string, number> {
  const out = new Map<string, number>();
  for (const [, name = "", value = ""] of header.matchAll(/(WT_\w+) = (-?\d+)/g))
    out.set(name, Number(value));
  out.set("WT_SHIM_VERSION", Number(/WT_SHIM_VERSION (\d+)/.exec(header)?.[1]));
  return out;
}

test("every function of the header is in the table, with the same types and names, and no other", () => {
  expect(Object.fromEntries(declarations()) as Record<string, unknown>).toEqual(
    SYMBOLS as unknown as Record<string, unknown>,
  );
  expect(declarations().size).toBeGreaterThan(30);
});

test("no function takes more than eight arguments", () => {
  for (const [name, { args }] of Object.entries(ffiSymbols()))
    expect([name, args.length <= 8]).toEqual([name, true]);
});

test("constants are the header's", () => {
  const known = constants();
  for (const [name, value] of Object.entries(CODES)) expect([name, known.get(name)]).toEqual([name, value]);
});

test("each array for the shim lists its names in the header's order", () => {
  const known = constants();
  for (const names of Object.values(ORDERS)) {
    expect(names.map((name) => known.get(name))).toEqual(names.map((_, index) => index));
  }
  expect(known.get("WT_LOAD_COUNT")).toBe(ORDERS.load.length);
  expect(known.get("WT_CTX_COUNT")).toBe(ORDERS.context.length);
  expect(known.get("WT_ROPE_COUNT")).toBe(ORDERS.rope.length);
  expect(known.get("WT_SAMPLE_COUNT")).toBe(ORDERS.sample.length);
  expect(known.get("WT_SAMPLE_FLOATS")).toBe(ORDERS.sampleFloats.length);
  expect(known.get("WT_LINK_COUNT")).toBe(ORDERS.links.length);
});

test("every struct of llama.h has its size asserted, and each field the shim names its place", async () => {
  const mirror = await Bun.file(join(SHIM, "llama.h")).text();
  const code = (
    await Promise.all(
      ["process.c", "model.c", "context.c", "chain.c", "sampler.c"].map((file) =>
        Bun.file(join(SHIM, file)).text(),
      ),
    )
  ).join("\n");
  const structs = [...mirror.matchAll(/^struct (llama_\w+) \{([^}]*)\};/gm)];
  expect(structs.length).toBeGreaterThan(6);
  for (const [, name = "", body = ""] of structs) {
    expect(mirror).toContain(`WT_SIZE(${name},`);
    const fields = [...body.matchAll(/(\w+);/g)].map((match) => match[1] ?? "");
    for (const field of fields.slice(1)) {
      const used = name.endsWith("_params") && new RegExp(`\\b(params|m|c)\\.${field}\\b =`).test(code);
      if (used) expect(mirror).toContain(`WT_AT(${name}, ${field},`);
    }
  }
});

test.skipIf(Bun.which("cc") === null)("a C compiler builds the same shim without a warning", async () => {
  const folder = mkdtempSync(join(tmpdir(), "warmturn-shim-"));
  try {
    const flags = ["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", join(folder, "shim.so")];
    const run = Bun.spawnSync(["cc", ...flags, join(SHIM, "shim.c")]);
    expect(run.stderr.toString()).toBe("");
    expect(run.exitCode).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
