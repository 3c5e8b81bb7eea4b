/**
 * The warm Worker: its own vocabulary and Prompter, built like the request path's, and a queue of jobs. It says
 * `ready` or `off` once, then one event a job; it hands plans back and touches nothing else.
 */
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { Prompter } from "../prompt/Prompter.ts";
import { planJob } from "./planJob.ts";
import type { WarmCommand, WarmEvent, WarmSetup } from "./WarmJob.ts";
import { WarmQueue } from "./WarmQueue.ts";

declare const self: Worker;

let queue: WarmQueue | undefined;

self.onmessage = (event: MessageEvent<WarmCommand>) => {
  const command = event.data;
  if (command.type === "start") start(command.setup);
  else queue?.handle(command);
};

function start(setup: WarmSetup): void {
  try {
    const prompter = openPrompter(setup);
    // An immediate lets the messages that have arrived meanwhile be handled first.
    queue = new WarmQueue((job) => planJob(job, prompter, setup.rules), post, setImmediate);
    post({ type: "ready" });
  } catch (error) {
    post({ type: "off", why: error instanceof Error ? error.message : String(error) });
  }
}

function openPrompter(setup: WarmSetup): Prompter {
  const backend = Backend.open({ explicit: setup.libraryPath, shim: setup.shimPath ?? undefined });
  const model = Model.load(backend, { path: setup.modelPath, vocabOnly: true });
  return new Prompter({
    template: setup.template,
    vocab: model.vocab,
    ...(setup.toolUseTemplate === null ? {} : { toolUseTemplate: setup.toolUseTemplate }),
  });
}

function post(event: WarmEvent): void {
  self.postMessage(event);
}
