/**
 * The warm Worker: its own vocabulary and Prompter, built like the request path's, and a queue of jobs. It says
 * `ready` or `off` once, then one event a job; it hands plans back and touches nothing else.
 */
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";
import { Prompter } from "../prompt/Prompter.ts";
import { planJob } from "./planJob.ts";
import type { WarmCommand, WarmEvent, WarmSettings } from "./WarmJob.ts";
import { WarmQueue } from "./WarmQueue.ts";

declare const self: Worker;

let queue: WarmQueue | undefined;

self.onmessage = (event: MessageEvent<WarmCommand>) => {
  const command = event.data;
  if (command.type === "start") start(command.settings);
  else queue?.handle(command);
};

function start(settings: WarmSettings): void {
  try {
    const prompter = openPrompter(settings);
    // An immediate lets the messages that have arrived meanwhile be handled first.
    queue = new WarmQueue((job) => planJob(job, prompter, settings.rules), post, setImmediate);
    post({ type: "ready" });
  } catch (error) {
    post({ type: "off", why: error instanceof Error ? error.message : String(error) });
  }
}

function openPrompter(settings: WarmSettings): Prompter {
  const backend = Backend.open({ explicit: settings.libraryPath, shim: settings.shimPath ?? undefined });
  const model = Model.load(backend, { path: settings.modelPath, vocabOnly: true });
  return new Prompter({
    template: settings.template,
    vocab: model.vocab,
    ...(settings.toolUseTemplate === null ? {} : { toolUseTemplate: settings.toolUseTemplate }),
  });
}

function post(event: WarmEvent): void {
  self.postMessage(event);
}
