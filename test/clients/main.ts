/**
 * `bun run clients [NAME…]`: real clients, unmodified, against the server with a scripted model. Needs npm's registry
 * to install them; they themselves see loopback alone. Exit 1 where one misses what could have been warm.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install } from "./install.ts";
import { MEMORY_KINDS } from "./memoryKinds.ts";
import type { Played } from "./play.ts";
import { canIsolate, runSandboxed } from "./sandbox.ts";
import type { ClientSpec } from "./specs/ClientSpec.ts";
import { SPECS, specOf } from "./specs/specs.ts";
import { type ClientResult, missesOf, sumOf, writeRows } from "./table.ts";

const HELP = `Usage: bun run clients [NAME…] [options]

Plays real clients through ${SPECS.map((spec) => spec.name).join(", ")}: four steps with tool calls each, against this
server with a scripted model, and judges what each request had to prefill. One client at a time.

  --folder DIR   installs into DIR and leaves it there; what is in it already is not fetched again
  --dump DIR     keeps the bodies that the clients sent, one file a client
  --json         one JSON object a client instead of a table
  --write        puts the rows into docs/clients.md
`;

/** All steps of one client, and the same requests played again on other kinds of memory. */
const CLIENT_MS_MAX = 1_500_000;

interface Options {
  readonly specs: readonly ClientSpec[];
  readonly folder: string | undefined;
  readonly dump: string | undefined;
  readonly json: boolean;
  readonly write: boolean;
}

/** A sentence where the arguments make no sense. */
function parse(argv: readonly string[]): Options | string {
  const specs: ClientSpec[] = [];
  const values = new Map<string, string>();
  const switches = new Set<string>();
  for (let i = 0; i < argv.length; i++) {
    const name = argv[i] ?? "";
    if (name === "--json" || name === "--write") switches.add(name);
    else if (name === "--folder" || name === "--dump") {
      const value = argv[++i];
      if (value === undefined) return `${name} needs a folder.`;
      values.set(name, value);
    } else {
      const spec = specOf(name);
      if (spec === undefined) return `There is no client or option ${name}.`;
      specs.push(spec);
    }
  }
  return {
    specs: specs.length === 0 ? SPECS : specs,
    folder: values.get("--folder"),
    dump: values.get("--dump"),
    json: switches.has("--json"),
    write: switches.has("--write"),
  };
}

async function playClient(
  spec: ClientSpec,
  into: string,
  isolated: boolean,
  dump: string | undefined,
): Promise<ClientResult> {
  const installed = await install(spec, into);
  if ("why" in installed) return { spec, played: null, why: installed.why };
  const folder = await mkdtemp(join(tmpdir(), "warmturn-client-"));
  try {
    const job = {
      client: spec.name,
      installed: installed.folder,
      folder,
      path: installed.path,
      ...(dump === undefined ? {} : { dump: join(dump, `${spec.name}.json`) }),
    };
    const play = [process.execPath, join(import.meta.dir, "play.ts"), JSON.stringify(job)];
    const { code, stdout, stderr } = await runSandboxed(play, isolated, CLIENT_MS_MAX);
    if (code === 0)
      return { spec, played: JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Played, why: "" };
    const why =
      code === null ? `it was not done in ${CLIENT_MS_MAX / 60_000} minutes` : stderr.trim().slice(-800);
    return { spec, played: { rows: [], problems: [why] }, why: "" };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function show({ spec, played, why }: ClientResult): void {
  console.log(`\n${spec.packages[0]}`);
  if (played === null) {
    console.log(`  not run: ${why}`);
    return;
  }
  console.log(`  request  prompt  known at best  ${MEMORY_KINDS.map((kind) => kind.padStart(18)).join("")}`);
  for (const row of played.rows) {
    const costs = MEMORY_KINDS.map((kind) => {
      const cost = row.costs[kind];
      return (cost === undefined ? "" : `${cost.prefilled} (+${cost.beyond})`).padStart(18);
    });
    const name = `${String(row.number).padStart(3)}${row.side ? " side" : ""}`.padEnd(9);
    console.log(
      `  ${name}${String(row.prompt).padStart(6)}  ${String(row.known).padStart(13)}  ${costs.join("")}`,
    );
  }
  for (const miss of missesOf(played)) console.log(`  miss: ${miss}`);
  for (const problem of played.problems) console.log(`  wrong: ${problem}`);
  const { requests, side, beyond, avoidable } = sumOf(played);
  console.log(
    `  ${requests} requests, ${side} of them side; beyond the necessary ${beyond}, avoidable ${avoidable}`,
  );
}

async function main(): Promise<number> {
  const options = parse(process.argv.slice(2));
  if (typeof options === "string" || process.argv.includes("--help")) {
    console.error(typeof options === "string" ? `${options}\n\n${HELP}` : HELP);
    return 2;
  }
  const isolated = canIsolate();
  if (!isolated)
    console.error("No network of its own can be made here: proxies that lead nowhere stand in its place.");
  const into = options.folder ?? (await mkdtemp(join(tmpdir(), "warmturn-clients-")));
  const results: ClientResult[] = [];
  try {
    for (const spec of options.specs) {
      const result = await playClient(spec, into, isolated, options.dump);
      results.push(result);
      if (options.json)
        console.log(JSON.stringify({ client: spec.packages[0], ...result.played, why: result.why }));
      else show(result);
    }
  } finally {
    if (options.folder === undefined) await rm(into, { recursive: true, force: true });
  }
  if (options.write) await writeRows(results);
  const bad = results.filter(
    ({ played }) => played === null || played.problems.length > 0 || sumOf(played).avoidable > 0,
  );
  return bad.length === 0 ? 0 : 1;
}

process.exit(await main());
