/** The client of a real Worker: each run ends once, whatever becomes of the Worker, and nobody sees source code. */
import { expect, test } from "bun:test";
import { EngineClient } from "../../../src/engine/EngineClient.ts";
import type { EngineOptions } from "../../../src/engine/open/EngineOptions.ts";
import { EmbedError } from "../../../src/run/EmbedError.ts";
import type { EngineEvent } from "../../../src/run/EngineEvent.ts";
import type { RunSpec } from "../../../src/run/RunSpec.ts";
import { makePlan } from "../../support/makePlan.ts";

const url = new URL("./scriptedWorker.ts", import.meta.url).href;

async function open(model = "") {
  const crashed = Promise.withResolvers<string>();
  let crashes = 0;
  const onCrash = (message: string): void => {
    crashes += 1;
    crashed.resolve(message);
  };
  const client = await EngineClient.start({ modelPath: model } as EngineOptions, onCrash, { url });
  const start = (purpose: RunSpec["purpose"] = "request") => {
    const events: EngineEvent[] = [];
    const accepted = Promise.withResolvers<void>();
    const run = client.run(
      {
        purpose,
        plan: makePlan("dense", [1, 2, 3]),
        tenant: "",
        conversation: { id: "a", turn: 1 },
        maxTokens: 1,
      },
      (event) => {
        events.push(event);
        accepted.resolve();
      },
    );
    return { run, events, accepted: accepted.promise };
  };
  return { client, start, crashed: crashed.promise, crashes: () => crashes };
}

for (const [how, why] of [
  ["throw", "The engine stopped: boom"],
  ["exit", "The engine stopped: its Worker exited"],
] as const) {
  test(`a Worker that dies by ${how}: each run fails once, what comes later is refused`, async () => {
    const { client, start, crashed, crashes } = await open();
    const runs = [start(), start(), start("warm")];
    for (const run of runs) await run.accepted;
    expect([client.pending, client.warm]).toEqual([2, "working"]);
    client.drop(how);
    expect(await crashed).toBe(why);
    for (const { events } of runs) {
      expect(events.map(({ type }) => type)).toEqual(["accepted", "failed"]);
      expect(events[1]).toMatchObject({ code: "crashed", message: why });
    }
    expect([client.pending, client.warm]).toEqual([0, "idle"]);
    const late = start();
    await late.accepted;
    expect(late.events).toMatchObject([{ type: "refused", code: "crashed", message: why }]);
    await client.close();
    expect(crashes()).toBe(1);
  });
}

test("what is to be embedded counts as pending, and ends with the engine, however that ends", async () => {
  const inputs = [Int32Array.of(1)];
  const stay = new AbortController().signal;
  const dying = await open();
  const lost = dying.client.embed(inputs, stay);
  expect(dying.client.pending).toBe(1);
  dying.client.drop("exit");
  const why = "The engine stopped: its Worker exited";
  expect(await dying.crashed).toBe(why);
  expect(dying.client.pending).toBe(0);
  await expect(lost).rejects.toThrow(new EmbedError("crashed", why));
  await expect(dying.client.embed(inputs, stay)).rejects.toThrow(new EmbedError("crashed", why));
  const closing = await open();
  const ended = closing.client.embed(inputs, stay);
  const refused = ended.catch((error: unknown) => error);
  await closing.client.close();
  expect(await refused).toMatchObject({ code: "closing" });
});

test("close ends every open run once, and is no crash", async () => {
  const { client, start, crashes } = await open();
  const run = start();
  await run.accepted;
  await client.close();
  await client.close();
  expect(run.events.map(({ type }) => type)).toEqual(["accepted", "failed"]);
  expect(run.events[1]).toMatchObject({ code: "closing" });
  expect(crashes()).toBe(0);
});

test("a cancelled run is open until the engine says so, and is not cancelled twice", async () => {
  const { client, start } = await open();
  const run = start();
  await run.accepted;
  run.run.cancel();
  expect(client.pending).toBe(1);
  while (client.pending > 0) await Bun.sleep(0);
  run.run.cancel();
  await client.close();
  expect(run.events.map(({ type }) => type)).toEqual(["accepted", "aborted"]);
});

test("a start that fails is one sentence", async () => {
  await expect(open("fatal")).rejects.toThrow("No such model.");
  await expect(open("exit")).rejects.toThrow("The engine Worker exited while it started.");
  const missing = new URL("./noSuchWorker.ts", import.meta.url).href;
  const error = await EngineClient.start({} as EngineOptions, () => {}, { url: missing }).catch(String);
  expect(error).toMatch(/^EngineStartError: The engine Worker could not start: [^\n]+$/);
});
