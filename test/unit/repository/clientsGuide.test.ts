/** docs/clients.md names only flags and endpoints that are there, and the versions that `bun run clients` plays. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { FLAGS } from "../../../src/config/flags.ts";
import { SPECS } from "../../clients/specs/specs.ts";
import { fakeServer } from "../../support/FakeServer.ts";

const DOCS = join(import.meta.dir, "../../../docs/clients.md");
const text = await Bun.file(DOCS).text();
const fences = [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, kind = "", code = ""]) => ({
  kind,
  code,
}));
const prose = text.replace(/```\w+\n[\s\S]*?```/g, "");

async function servedPaths(): Promise<readonly string[]> {
  const { app } = fakeServer();
  const document: unknown = await (await app.fetch(new Request("http://localhost/openapi.json"))).json();
  if (typeof document !== "object" || document === null || !("paths" in document)) return [];
  return Object.keys(document.paths ?? {});
}

test("flags of the server", () => {
  const known = Object.values(FLAGS).flatMap(({ names, negative }) => [...names, ...negative]);
  const ours = fences.flatMap(({ code }) =>
    code.split("\n").filter((line) => /^(bun start|warmturn) /.test(line)),
  );
  // In prose, a flag that stands alone is the server's; a client's stands in its command.
  const named = [...prose.matchAll(/`(--[a-z-]+)`/g)].map(([, flag = ""]) => flag);
  const inCommands = ours.flatMap((line) =>
    [...line.matchAll(/ (--?[a-z][a-z-]*)/g)].map(([, flag = ""]) => flag),
  );
  expect(inCommands.length).toBeGreaterThan(0);
  expect(named.length).toBeGreaterThan(2);
  for (const flag of [...named, ...inCommands]) expect(known as readonly string[]).toContain(flag);
});

test("endpoints and base URLs of the server, at its own port", async () => {
  const paths = await servedPaths();
  const named = [...prose.matchAll(/`(\/v1\/[a-z_/]+)`/g)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(2);
  for (const path of named) expect(paths).toContain(path);
  const urls = fences.flatMap(({ code }) => [...code.matchAll(/http:\/\/([^/"\s]+)([^"\s]*)/g)]);
  expect(urls.length).toBeGreaterThan(6);
  for (const [, host, path = ""] of urls) {
    expect(host).toBe(`127.0.0.1:${FLAGS.port.fallback}`);
    expect(["", "/v1"]).toContain(path);
  }
});

test("JSON that can be read", () => {
  const blocks = fences.filter(({ kind }) => kind === "json");
  expect(blocks.length).toBeGreaterThan(2);
  for (const { code } of blocks) expect(() => JSON.parse(code)).not.toThrow();
});

test("a row for each client, of the version that is played", () => {
  for (const { name, packages } of SPECS) {
    const version = packages[0]?.replace(/^.*@/, "");
    expect(text).toContain(`| ${name} \`${version}\` |`);
  }
});
