/**
 * The loop of an encoder, which embeds or ranks and writes no text: one input a step. Runs are refused; the HTTP side
 * refuses them before they come here.
 */

import type { EngineCommand, EngineEvent } from "../run/EngineEvent.ts";
import type { EmbedQueue } from "./EmbedQueue.ts";

export interface EncoderLoopOptions {
  readonly embeds: EmbedQueue;
  readonly emit: (event: EngineEvent) => void;
}

export class EncoderLoop {
  readonly #options: EncoderLoopOptions;

  constructor(options: EncoderLoopOptions) {
    this.#options = options;
  }

  handle(command: EngineCommand): void {
    const { embeds, emit } = this.#options;
    if (command.type === "embed") embeds.accept(command.job);
    else if (command.type === "cancel-embed") embeds.cancel(command.id);
    else if (command.type === "close") embeds.close();
    else if (command.type === "run") {
      const message = "an encoder writes no text";
      emit({ type: "refused", id: command.run.id, code: "evaluate-failed", message });
    }
  }

  /** True while there is more to do. */
  step(): boolean {
    const { embeds } = this.#options;
    embeds.step();
    return embeds.waiting > 0;
  }
}
