/** A Worker for `workerLink.test.ts`: says that it is ready, throws at a drop of "throw", exits at one of "exit". */
import type { WarmCommand, WarmEvent } from "../../../src/warm/WarmJob.ts";

declare const self: Worker;

self.onmessage = (event: MessageEvent<WarmCommand>) => {
  const command = event.data;
  if (command.type === "start") self.postMessage({ type: "ready" } satisfies WarmEvent);
  if (command.type !== "drop") return;
  if (command.conversation === "throw") throw new Error("boom");
  process.exit(3);
};
