/**
 * Plays one client: the runner starts this in a sandbox of its own, with the job as its argument. Prints one line of
 * JSON at the end: a row for each request that the client made.
 */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { judgedRows, type RequestRow } from "./judgedRows.ts";
import { MEMORY_KINDS } from "./memoryKinds.ts";
import { type RecordedServer, startRecordedServer } from "./RecordedServer.ts";
import { STEPS, stepPrompt } from "./script.ts";
import type { ClientSpec, Place } from "./specs/ClientSpec.ts";
import { specOf } from "./specs/specs.ts";

export interface PlayJob {
  readonly client: string;
  readonly installed: string;
  /** A new folder, for the client's home and work. */
  readonly folder: string;
  /** In front of the client's PATH. */
  readonly path: readonly string[];
  /** Keeps the bodies that the client sent in this file; they hold its own prompts. */
  readonly dump?: string;
}

export interface Played {
  readonly rows: readonly RequestRow[];
  /** What went wrong: exits, refusals, steps without a call. */
  readonly problems: readonly string[];
}

/** Generous: a client needs seconds, and the machine may be busy with other things. */
const STEP_MS_MAX = 300_000;
/** Of a client's output in a problem. */
const OUTPUT_CHARS_MAX = 800;
/** Nothing answers there: for clients that ignore that they are to stay on this machine, where no namespace holds them. */
const NO_PROXY = "http://127.0.0.1:9";

async function play(job: PlayJob): Promise<Played> {
  const spec = specOf(job.client);
  if (spec === undefined) throw new Error(`no client ${job.client}`);
  const [liveKind = "hybrid", ...otherKinds] = MEMORY_KINDS;
  await using server = await startRecordedServer(liveKind);
  const place = await prepare(spec, job, server.url);
  const problems: string[] = [];
  for (let step = 1; step <= STEPS; step++) {
    const problem = await playStep(spec, place, job, step);
    await server.warmIdle();
    if (problem !== null) problems.push(`step ${step}: ${problem}`);
  }
  if (job.dump !== undefined) {
    const bodies = server.exchanges.map(({ path, status, body }) => ({ path, status, body: body?.json }));
    await writeFile(job.dump, JSON.stringify(bodies, null, 2));
  }
  await using others = new AsyncDisposableStack();
  const servers = [server];
  for (const kind of otherKinds) {
    const other = others.use(await startRecordedServer(kind));
    await other.replay(server.exchanges);
    servers.push(other);
  }
  const rows = await judgedRows(servers);
  return { rows, problems: [...problems, ...wrongs(server, rows)] };
}

/** Folders and settings of the client, and the note to look at. */
async function prepare(spec: ClientSpec, job: PlayJob, url: string): Promise<Place> {
  const place: Place = {
    installed: job.installed,
    home: join(job.folder, "home"),
    work: join(job.folder, "work"),
    url,
  };
  await mkdir(place.home, { recursive: true });
  await mkdir(place.work, { recursive: true });
  for (const [path, text] of Object.entries(spec.files(place))) {
    const file = join(place.home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const look = join(place.work, "look");
  const script = join(import.meta.dir, "look.ts");
  await writeFile(look, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$1" "${url}"\n`);
  await chmod(look, 0o755);
  return place;
}

/** Null where the client ended well. */
async function playStep(spec: ClientSpec, place: Place, job: PlayJob, step: number): Promise<string | null> {
  const child = Bun.spawn([...spec.command(place, step, stepPrompt(step))], {
    cwd: place.work,
    env: {
      PATH: [...job.path, "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
      HOME: place.home,
      TMPDIR: place.home,
      TERM: "dumb",
      LANG: "C.UTF-8",
      HTTPS_PROXY: NO_PROXY,
      HTTP_PROXY: NO_PROXY,
      NO_PROXY: "127.0.0.1,localhost",
      ...spec.env(place),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, STEP_MS_MAX);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearTimeout(timer);
  if (late) return `not done in ${STEP_MS_MAX / 1000} s: ${end(stdout, stderr)}`;
  return code === 0 ? null : `exit ${code}: ${end(stdout, stderr)}`;
}

function end(stdout: string, stderr: string): string {
  return `${stdout.slice(-OUTPUT_CHARS_MAX)}${stderr.slice(-OUTPUT_CHARS_MAX)}`.trim();
}

/** What the requests themselves show. */
function wrongs(server: RecordedServer, rows: readonly RequestRow[]): string[] {
  const refused = server.exchanges.filter(({ status, body }) => body !== undefined && status >= 400);
  const wrong = refused.map(({ path, status }) => `${path} was answered with ${status}`);
  const results = Math.max(0, ...rows.map((row) => row.results));
  // The step in the middle calls twice.
  if (results < STEPS + 1) wrong.push(`${results} results came back, not ${STEPS + 1}`);
  for (const row of rows)
    if (!row.pure) wrong.push(`request ${row.number}: its prompt depends on more than its body`);
  return wrong;
}

const job: PlayJob = JSON.parse(process.argv[2] ?? "{}");
console.log(JSON.stringify(await play(job)));
process.exit(0);
