#!/usr/bin/env bun
/**
 * `bun run test:hostile [--requests N] [--disconnects N] [--heads N] [--seed TEXT]`: what strangers may send to a served
 * server, and what comes of it. It talks to 127.0.0.1 alone and ends when the counts are reached. Only a run of full
 * length writes `test/hostile/RESULT.md`. Exit code 1 where anything was found.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { documentation } from "../support/openApi/documentation.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";
import { disconnect } from "./disconnect.ts";
import { HealthWatch } from "./HealthWatch.ts";
import { openHeads } from "./modelHeads.ts";
import { Random } from "./Random.ts";
import { type Finding, reportText } from "./reportText.ts";
import { type HostileRequest, RequestMaker } from "./requests.ts";
import { type ServedProcess, serveProcess } from "./ServedProcess.ts";
import { sendAll } from "./sendAll.ts";

const FULL = { requests: 100_000, disconnects: 5_000, heads: 2_000 };
/** What `/health` may take, with the requests that stand before it. */
const HEALTH_MS_MAX = 50;
const AT_ONCE = 4;
/** Head of the tiny model's file: metadata and the table of tensors. */
const HEAD_BYTES = 48 * 1024;
/** Growth in the second half of the requests that is still called level: caches fill, an allocator keeps what it had. */
const GROWTH_BYTES_MAX = 64 * 2 ** 20;

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: String(FULL.requests) },
    disconnects: { type: "string", default: String(FULL.disconnects) },
    heads: { type: "string", default: String(FULL.heads) },
    seed: { type: "string", default: "2026" },
  },
});
const [requests, disconnects, heads] = [values.requests, values.disconnects, values.heads].map(Number) as [
  number,
  number,
  number,
];
const { seed } = values;
const kept = join(tmpdir(), "warmturn-hostile-found");
mkdirSync(kept, { recursive: true });

/** As it stood at the start: the tree may go on meanwhile. */
const commit = Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { cwd: import.meta.dir })
  .stdout.toString()
  .trim();
const findings: Finding[] = [];
const started = performance.now();

/** The request is kept in a file, so that it can be sent again. */
function found(says: string, request?: HostileRequest): void {
  const file = request === undefined ? "" : join(kept, `${findings.length}.json`);
  if (request !== undefined) writeFileSync(file, JSON.stringify({ ...request, body: String(request.body) }));
  findings.push({ says, file });
  console.log(
    `FOUND ${says} ${request === undefined ? "" : `${request.method} ${request.path.slice(0, 80)} ${file}`}`,
  );
}

/** Until nothing runs; false where that takes too long. */
async function idle(server: ServedProcess): Promise<boolean> {
  for (let tries = 0; tries < 300; tries += 1) {
    const [health, slots] = await Promise.all(
      ["/health", "/slots"].map(async (path) => (await (await fetch(server.url + path)).json()) as unknown),
    );
    const busy = (slots as { is_processing: boolean }[]).some((slot) => slot.is_processing);
    if (!busy && (health as { warm: string }).warm === "idle") return true;
    await Bun.sleep(100);
  }
  return false;
}

/** Greedy, so that it says the same before and after. */
async function sample(server: ServedProcess): Promise<string> {
  const body = JSON.stringify({
    messages: [{ role: "user", content: "What time is it?" }],
    temperature: 0,
    max_tokens: 32,
  });
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return JSON.stringify(((await response.json()) as { choices: unknown }).choices);
}

const flags = ["-c", "1024", "-np", "2", "-t", "1", "--embeddings", "--metrics", "--state-ram", "64M"];
await using server = await serveProcess(flags);
const docs = await documentation();
const inFlight = new Set<HostileRequest>();
let slowKept = 0;
const watch = new HealthWatch(server.url, server.pid, HEALTH_MS_MAX, ({ cpuMs, wallMs }) => {
  slowKept += 1;
  if (slowKept > 40) return;
  const lines = [...inFlight].map((one) => JSON.stringify({ ...one, body: String(one.body) }));
  writeFileSync(join(kept, `slow-${slowKept}.jsonl`), `${lines.join("\n")}\n`);
  console.log(`slow: /health behind ${cpuMs.toFixed(0)} ms of processor time (${wallMs.toFixed(0)} ms)`);
});

const before = await sample(server);
const maker = new RequestMaker(docs, new Random(`${seed} requests`));
const statuses = new Map<number, number>();
const memory: number[] = [];
for (let quarter = 0; quarter < 4; quarter += 1) {
  const count = Math.floor((requests * (quarter + 1)) / 4) - Math.floor((requests * quarter) / 4);
  const sent = await sendAll({ ...server, fetch: server.fetch }, maker, { count, atOnce: AT_ONCE, inFlight });
  for (const [status, times] of sent.statuses) statuses.set(status, (statuses.get(status) ?? 0) + times);
  for (const { says, request } of sent.problems) found(says, request);
  if (server.exitCode() !== null) break;
  if (!(await idle(server))) found("something runs half a minute after the last request");
  memory.push(server.residentBytes());
  console.log(
    `${((100 * (quarter + 1)) / 4).toFixed(0)} %: ${Math.round((memory.at(-1) ?? 0) / 2 ** 20)} MiB, health at most ${watch.quantile(1).toFixed(1)} ms`,
  );
}

const random = new Random(`${seed} disconnects`);
const leaver = new RequestMaker(docs, random);
for (let left = disconnects; left > 0; left -= 20) {
  if (server.exitCode() !== null) break;
  await Promise.all(Array.from({ length: Math.min(20, left) }, () => disconnect(server.url, leaver, random)));
}
if (server.exitCode() === null && !(await idle(server)))
  found("something runs half a minute after the last client left");
if (server.exitCode() === null) memory.push(server.residentBytes());
const health = {
  count: watch.count,
  bad: watch.bad,
  half: watch.quantile(0.5),
  most: watch.quantile(0.999),
  max: watch.quantile(1),
  slow: watch.slowerThan(HEALTH_MS_MAX),
};
watch.stop();
if (server.exitCode() !== null) found(`the server ended: ${server.exitCode()}`);
else if ((await sample(server)) !== before) found("the same request is answered otherwise than before");
for (const line of server.complaints().slice(0, 20)) found(`logged: ${line.slice(0, 300)}`);
if (health.bad > 0) found(`/health was not answered ${health.bad} times`);
if (health.slow > 0)
  found(
    `/health took more than ${HEALTH_MS_MAX} ms ${health.slow} times, ${health.max.toFixed(0)} ms at most`,
  );
// Caches fill in the first half. A single low reading there makes no growth, and the last one, behind the clients that
// broke off, is judged like the others.
const filled = Math.max(...memory.slice(0, 2));
const growth = Math.max(...memory.slice(2)) - filled;
if (growth > GROWTH_BYTES_MAX)
  found(`memory grew by ${Math.round(growth / 2 ** 20)} MiB after the first half`);

const whole = readFileSync((await tinyModel("qwen3")).path);
const headed = await openHeads(whole, HEAD_BYTES, heads, `${seed} heads`);
for (const crash of headed.crashes) found(`model head ${crash}`);

const text = reportText({
  counts: { requests, disconnects, heads },
  seed,
  commit,
  statuses,
  health,
  memory,
  headed,
  findings,
  ms: performance.now() - started,
});
console.log(text);
const isFull = requests >= FULL.requests && disconnects >= FULL.disconnects && heads >= FULL.heads;
if (isFull) writeFileSync(join(import.meta.dir, "RESULT.md"), text);
process.exit(findings.length === 0 ? 0 : 1);
