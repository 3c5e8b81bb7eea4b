/** Where a reply's readers put what they found. */
import type { JsonObject } from "../../json/json.ts";

export interface ReplySink {
  reasoning(text: string): void;
  text(text: string): void;
  /** Opens a call; the client sees it at once, so it stays one. */
  open(name: string): void;
  /** JSON text of the arguments of the call opened last, as it comes. */
  arguments(text: string): void;
  /** Whether the request has a tool of this name. */
  knows(name: string): boolean;
  /** The JSON schema of a tool's arguments. */
  schema(name: string): JsonObject | undefined;
}

/** `call`: read whole. `cut`: opened, then broken or cut off. `none`: nothing was opened, it is text. */
export type CallRead = "call" | "cut" | "none";
