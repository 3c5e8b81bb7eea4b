/**
 * What killed a Worker, in one line for the log or a client. Bun's message is the source with the error below
 * it; neither source nor stack belongs in an answer.
 */
export function workerError(message: string): string {
  return /^(?:\w*error: )(.*)$/im.exec(message)?.[1] ?? message.split("\n")[0] ?? "";
}
