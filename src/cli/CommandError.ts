/** A command could not do what it was asked for: one sentence and the next step, for whoever typed it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
