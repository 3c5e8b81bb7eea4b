/** Restarts, back-off, giving up, the held port and stop signals, with a clock that the test moves. */
import { expect, test } from "bun:test";
import type { ServerEnd, ServerWatch, Surroundings } from "../../../../src/cli/supervise/Supervisor.ts";
import { Supervisor } from "../../../../src/cli/supervise/Supervisor.ts";

const PORT = 4711;
const CRASH: Partial<ServerEnd> = { signal: "SIGSEGV" };

/** A world whose servers the test ends. `lines` is all that happened, in order. */
class World implements Surroundings {
  readonly lines: string[] = [];
  readonly #starts: { watch: ServerWatch; end: (end: Partial<ServerEnd>) => void }[] = [];
  readonly #sleepers: { at: number; wake: () => void }[] = [];
  #now = 0;

  readonly log = {
    error: (_: object, message: string) => void this.lines.push(message),
    warn: (_: object, message: string) => void this.lines.push(message),
  };

  start(port: number | null, watch: ServerWatch) {
    this.lines.push(`start ${port ?? "first"}`);
    const { promise, resolve } = Promise.withResolvers<ServerEnd>();
    const end = (how: Partial<ServerEnd>): void =>
      resolve({ code: null, signal: null, last: [], fault: null, ...how });
    this.#starts.push({ watch, end });
    return {
      stop: (signal: NodeJS.Signals) => void this.lines.push(`stop ${signal}`),
      kill: () => {
        this.lines.push("kill");
        end({ signal: "SIGKILL" });
      },
      ended: promise,
    };
  }

  hold(port: number) {
    this.lines.push(`hold ${port}`);
    return { release: () => void this.lines.push("release") };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => this.#sleepers.push({ at: this.#now + ms, wake }));
  }

  now(): number {
    return this.#now;
  }

  async ready(): Promise<void> {
    this.#starts.at(-1)?.watch.onListening(PORT);
    this.#starts.at(-1)?.watch.onReady();
  }

  async end(how: Partial<ServerEnd>): Promise<void> {
    this.#starts.at(-1)?.end(how);
    await Bun.sleep(0);
  }

  async pass(ms: number): Promise<void> {
    this.#now += ms;
    for (const one of this.#sleepers) if (one.at <= this.#now) one.wake();
    await Bun.sleep(0);
  }

  get starts(): number {
    return this.#starts.length;
  }
}

function supervised(): { world: World; supervisor: Supervisor; code: Promise<number> } {
  const world = new World();
  const supervisor = new Supervisor(world, { stopMsMax: 1_000 });
  return { world, supervisor, code: supervisor.run() };
}

test("a crash costs one restart on the same port, which is held until the new server listens", async () => {
  const { world, code } = supervised();
  await world.ready();
  await world.end(CRASH);
  await world.pass(0);
  await world.ready();
  await world.end({ code: 0 });
  expect(await code).toBe(0);
  expect(world.lines).toEqual([
    "start first",
    "The server was ended by SIGSEGV: it used memory that is not its own. It is started again now.",
    `hold ${PORT}`,
    `start ${PORT}`,
    "release",
  ]);
});

test("crashes in a row wait longer each time, and the fifth is the last", async () => {
  const { world, code } = supervised();
  const waited: number[] = [];
  for (let crash = 1; crash <= 5; crash++) {
    await world.ready();
    await world.end({ code: 1 });
    const before = world.starts;
    let ms = 0;
    while (world.starts === before && ms <= 8_000) {
      await world.pass(ms === 0 ? 0 : 500);
      ms += 500;
    }
    waited.push(ms - 500);
  }
  expect(waited.slice(0, 4)).toEqual([0, 1_000, 2_000, 4_000]);
  expect(await code).toBe(1);
  expect(world.starts).toBe(5);
  expect(world.lines).toContain(
    "The server ended with exit code 1. It crashed 5 times in a row and is not started again.",
  );
});

test("a server that was ready for a minute crashes for the first time again", async () => {
  const { world, supervisor, code } = supervised();
  for (let crash = 1; crash <= 9; crash++) {
    await world.ready();
    await world.pass(60_000);
    await world.end(CRASH);
    await world.pass(0);
    expect(world.starts).toBe(crash + 1);
  }
  supervisor.stop("SIGTERM");
  await world.end({ code: 0 });
  expect(await code).toBe(0);
});

test("one that was never ready is not started again, and keeps its exit code", async () => {
  for (const [end, wanted] of [
    [{ code: 1 }, 1],
    [{ signal: "SIGABRT" }, 1],
    [{ code: 143 }, 143],
  ] as const) {
    const { world, code } = supervised();
    await world.end(end);
    expect([await code, world.starts]).toEqual([wanted, 1]);
  }
});

test("one that comes back and cannot start is tried as often, with the port held all the time", async () => {
  const { world, code } = supervised();
  await world.ready();
  await world.end(CRASH);
  for (let start = 2; start <= 5; start++) {
    await world.pass(4_000);
    await world.end({ code: 1 });
  }
  expect(await code).toBe(1);
  expect(world.lines.filter((line) => line === "release" || line.startsWith("hold"))).toEqual([
    `hold ${PORT}`,
    "release",
  ]);
});

test("a stop signal is handed on, again and again; what does not end is killed", async () => {
  const { world, supervisor, code } = supervised();
  await world.ready();
  supervisor.stop("SIGTERM");
  supervisor.stop("SIGTERM");
  await world.pass(999);
  expect(world.lines.slice(1)).toEqual(["stop SIGTERM", "stop SIGTERM"]);
  await world.pass(1);
  expect(await code).toBe(137);
  expect(world.lines.at(-1)).toBe("kill");
});

test("a stop signal between two servers ends the wait", async () => {
  const { world, supervisor, code } = supervised();
  await world.ready();
  await world.end(CRASH);
  await world.pass(0);
  await world.ready();
  await world.end(CRASH);
  supervisor.stop("SIGINT");
  expect(await code).toBe(130);
  expect([world.starts, world.lines.at(-1)]).toEqual([2, "release"]);
});

test("a crash while stopping is no reason to start again", async () => {
  const { world, supervisor, code } = supervised();
  await world.ready();
  supervisor.stop("SIGTERM");
  await world.end(CRASH);
  expect([await code, world.starts]).toEqual([1, 1]);
});
