/** A Worker for `EngineClient.test.ts`: holds its runs, and ends as the name of a conversation says. */
import type { WorkerInit, WorkerMessage } from "../../../src/engine/EngineClient.ts";
import type { EngineCommand } from "../../../src/run/EngineEvent.ts";
import { FAKE_READY, fakeReport } from "../../support/FakeEngine.ts";

declare const self: Worker;

const post = (message: WorkerMessage): void => self.postMessage(message);

self.onmessage = (event: MessageEvent<WorkerInit | EngineCommand>) => {
  const command = event.data;
  if (command.type === "init") start(command.options.modelPath);
  else if (command.type === "run")
    post({ type: "several", messages: [{ type: "accepted", id: command.run.id }] });
  else if (command.type === "cancel") post({ type: "aborted", id: command.id, report: fakeReport({}) });
  else if (command.type === "close") post({ type: "closed" });
  else if (command.type !== "drop") return;
  else if (command.conversation === "throw") throw new Error("boom");
  else process.exit(3);
};

function start(model: string): void {
  if (model === "fatal") post({ type: "fatal", message: "No such model." });
  else if (model === "exit") process.exit(3);
  else post(FAKE_READY);
}
