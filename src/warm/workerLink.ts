/** A warm Worker as `WarmClient` needs it: its death, however it comes, is told once, and nothing after it. */
import { workerError } from "../base/workerError.ts";
import { workerUrl } from "../base/workerUrl.ts";
import type { OpenWarmLink, WarmLink } from "./WarmClient.ts";
import type { WarmEvent } from "./WarmJob.ts";

/** `url` names the Worker's module. */
export function workerLink(url: string = workerUrl("warm/worker")): OpenWarmLink {
  return (onEvent, onCrash): WarmLink => {
    const worker = new Worker(url, { name: "warm" });
    let over = false;
    const crash = (message: string): void => {
      if (over) return;
      over = true;
      worker.terminate();
      onCrash(message);
    };
    worker.onmessage = (event: MessageEvent<WarmEvent>) => {
      if (!over) onEvent(event.data);
    };
    worker.onerror = (event) => crash(workerError(event.message));
    // A Worker that exits without an error has still died.
    worker.addEventListener("close", () => crash("it exited"));
    return {
      post: (command) => {
        if (!over) worker.postMessage(command);
      },
      end: () => {
        over = true;
        worker.terminate();
      },
    };
  };
}
