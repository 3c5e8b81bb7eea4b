/** What `docs/from-llama-server.md` says is missing is missing. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FLAGS } from "../../../src/config/flags.ts";
import { fakeServer } from "../../support/FakeServer.ts";
import { inProcess, postChat } from "../../support/httpClient.ts";

const DOC = readFileSync(join(import.meta.dir, "..", "..", "..", "docs", "from-llama-server.md"), "utf8");
/** Each line is one flag in all its spellings, as the README of llama-server's folder lists them in v0.4.0. */
const LLAMA_SERVER_FLAGS = readFileSync(join(import.meta.dir, "llamaServerFlags.txt"), "utf8");
/** Not in the table of flags: they are not of a run. */
const EVERYWHERE = new Set(["--help", "--version"]);

/** The first column of the table under a heading. */
function missing(heading: string): string[] {
  const section = DOC.split(`## ${heading}`)[1]?.split("\n## ")[0] ?? "";
  const cells = section.split("\n").filter((line) => line.startsWith("| `"));
  return cells.flatMap((line) =>
    [...(line.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ""),
  );
}

test("flags", () => {
  const own = new Set(Object.values(FLAGS).flatMap(({ names, negative }) => [...names, ...negative]));
  const listed = missing("Flags that are not here").filter((flag) => !flag.endsWith("…"));
  expect(listed.length).toBeGreaterThan(50);
  expect(listed.filter((flag) => own.has(flag))).toEqual([]);
});

test("every flag of llama-server is taken or listed", () => {
  const own = new Set(Object.values(FLAGS).flatMap(({ names, negative }) => [...names, ...negative]));
  const listed = missing("Flags that are not here");
  const isListed = (flag: string): boolean =>
    listed.some((one) => (one.endsWith("…") ? flag.startsWith(one.slice(0, -1)) : flag === one));
  const spellings = LLAMA_SERVER_FLAGS.split("\n").filter((line) => line !== "");
  expect(spellings.length).toBeGreaterThan(250);
  const neither = spellings.filter(
    (line) => !line.split(" ").some((flag) => own.has(flag) || EVERYWHERE.has(flag) || isListed(flag)),
  );
  expect(neither).toEqual([]);
});

test("endpoints", async () => {
  const paths = missing("Endpoints that are not here").filter((path) => /^\/[\w/]+$/.test(path));
  expect(paths.length).toBeGreaterThan(5);
  const target = inProcess(fakeServer().app);
  const served: string[] = [];
  for (const path of paths) {
    const { status } = await postChat(target, {}, { path });
    // Below the path of models and responses there are their ids, to be read.
    if (status !== 404 && status !== 405) served.push(path);
  }
  expect(served).toEqual([]);
});

test("fields: whatever they hold, the answer is the same", async () => {
  const names = missing("Fields that are ignored").filter((name) => /^\w+$/.test(name));
  const checked = new Set(["n_keep", "n_discard", "n_cache_reuse", "id_slot", "n_indent", "multimodal_data"]);
  const ignored = Object.fromEntries(
    names.filter((name) => !checked.has(name)).map((name) => [name, { x: 1 }]),
  );
  expect(Object.keys(ignored).length).toBeGreaterThan(10);
  const target = inProcess(fakeServer().app);
  const response = await postChat(target, { prompt: "x", ...ignored }, { path: "/completion" });
  expect(response.status).toBe(200);
});
