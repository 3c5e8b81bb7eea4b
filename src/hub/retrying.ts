/** Runs a step again while that may help: what broke, what is out of order, what asks to wait. */
import { HubError } from "./HubError.ts";
import type { HubOptions } from "./HubOptions.ts";

/**
 * @param progress grows when a try brought something, which makes the next failure the first one again.
 * @param note told before each wait.
 * @throws the last error, or at once one that no further try can mend.
 */
export async function retrying<T>(
  options: HubOptions,
  step: () => Promise<T>,
  note: (text: string) => void,
  progress: () => number = () => 0,
): Promise<T> {
  let failures = 0;
  for (let before = progress(); ; before = progress()) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof HubError) || !error.transient) throw error;
      // Without a network there is nothing to wait for; in the middle of a file there is.
      if (error.code === "unreachable" && progress() === 0) throw error;
      failures = progress() > before ? 1 : failures + 1;
      if (failures >= options.triesMax) throw error;
      const ms = error.waitMs ?? options.retryMs * 2 ** (failures - 1);
      if (ms > options.askedWaitMsMax) throw error;
      note(`${withoutAdvice(error.message)}; trying again in ${Math.ceil(ms / 1000)} s`);
      await options.wait(ms);
    }
  }
}

/** The next step is for whoever is left alone with the error. */
function withoutAdvice(message: string): string {
  return message.split(";")[0]?.replace(/\.$/, "") ?? message;
}
