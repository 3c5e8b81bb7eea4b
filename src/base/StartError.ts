/** The server cannot start; the message is one sentence for the user. */
export class StartError extends Error {
  override readonly name = "StartError";
}
