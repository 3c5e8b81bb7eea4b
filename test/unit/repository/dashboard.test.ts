/** The dashboard asks for metrics that are served, and the guide names all of ours. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Metrics } from "../../../src/serve/Metrics.ts";

const ROOT = join(import.meta.dir, "../../..");
const served = async (): Promise<Set<string>> => {
  const text = await new Metrics().text("");
  return new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name ?? ""));
};
const namesIn = (path: string): Set<string> =>
  new Set(
    [...readFileSync(join(ROOT, path), "utf8").matchAll(/warmturn_\w+/g)].map(([name]) =>
      name.replace(/_bucket$/, ""),
    ),
  );

test("Grafana's dashboard", async () => {
  const asked = namesIn("deploy/grafana/warmturn.json");
  expect(asked.size).toBeGreaterThan(8);
  const known = await served();
  expect([...asked].filter((name) => !known.has(name))).toEqual([]);
});

test("the guide names each metric, and no other", async () => {
  expect([...namesIn("docs/observability.md")].sort()).toEqual([...(await served())].sort());
});
