/** The link to a real Worker: events come through, and a death is told once, however it comes. */
import { expect, test } from "bun:test";
import type { WarmSettings } from "../../../src/warm/WarmJob.ts";
import { workerLink } from "../../../src/warm/workerLink.ts";

const settings: WarmSettings = {
  modelPath: "",
  libraryPath: "",
  shimPath: null,
  template: "",
  toolUseTemplate: null,
  rules: { openers: [], userOpeners: [], chunkTokensMin: 32, chunkTokensMax: 512, tripTokensMin: 0 },
};
const open = workerLink(new URL("./dyingWorker.ts", import.meta.url).href);

for (const [how, said] of [
  ["throw", "boom"],
  ["exit", "it exited"],
] as const) {
  test(`a Worker that dies by ${how}`, async () => {
    const ready = Promise.withResolvers<string>();
    const dead = Promise.withResolvers<string>();
    let deaths = 0;
    const link = open(
      (event) => ready.resolve(event.type),
      (message) => {
        deaths += 1;
        dead.resolve(message);
      },
    );
    link.post({ type: "start", settings });
    expect(await ready.promise).toBe("ready");
    link.post({ type: "drop", conversation: how });
    expect(await dead.promise).toBe(said);
    link.post({ type: "drop", conversation: how });
    link.end();
    expect(deaths).toBe(1);
  });
}

test("a module that is not there is a death, not an exception", async () => {
  const dead = Promise.withResolvers<string>();
  workerLink(new URL("./noSuchWorker.ts", import.meta.url).href)(() => {}, dead.resolve);
  expect(await dead.promise).not.toBe("");
});
