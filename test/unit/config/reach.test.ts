/** Who is let in by what was typed: nobody by accident. */
import { expect, test } from "bun:test";
import { readConfig } from "../../../src/config/Config.ts";
import { ConfigError } from "../../../src/config/ConfigError.ts";
import type { Env } from "../../../src/config/parseFlags.ts";

const start = (argv: readonly string[], env: Env = {}): string => {
  try {
    return readConfig(["-m", "x.gguf", ...argv], env).host;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};

test.each(["0.0.0.0", "::", "192.168.1.2", "box.lan", "127.0.0.1.nip.io", "fd00::1"])(
  "an address that others reach wants a key, or --insecure: %s",
  (host) => {
    const said = start(["--host", host]);
    expect(said).toContain(`--host ${host}`);
    expect(said).toContain("--api-key");
    expect(said).toContain("--insecure");
    expect(start([], { WARMTURN_HOST: host })).toBe(said);
    expect(start(["--host", host, "--api-key", "k"])).toBe(host);
    expect(start(["--host", host], { WARMTURN_API_KEY: "k" })).toBe(host);
    expect(start(["--host", host, "--insecure"])).toBe(host);
  },
);

test.each(["127.0.0.1", "127.8.8.8", "localhost", "::1"])(
  "an address of this machine alone wants none: %s",
  (host) => {
    expect(start(["--host", host])).toBe(host);
  },
);

test("--allowed-hosts takes names and addresses, without ports", () => {
  const hosts = readConfig(["-m", "x.gguf", "--allowed-hosts", "Box.lan.,[fd00::1],10.0.0.2,*"], {}).flags
    .allowedHosts;
  expect(hosts).toEqual(["box.lan", "fd00::1", "10.0.0.2", "*"]);
  for (const bad of ["box:80", "http://box", "a b", "box/"])
    expect(start(["--allowed-hosts", bad])).toContain("allowed is");
});
