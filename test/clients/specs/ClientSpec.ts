/** A client as the runner knows it: what to install, how to point it at a server, and how to say one thing to it. */

/** Where a client runs; absolute paths, nothing outside them is the user's. */
export interface Place {
  /** Its `node_modules` lies here. */
  readonly installed: string;
  readonly home: string;
  /** The folder that it works in. */
  readonly work: string;
  /** Of the server, without a path. */
  readonly url: string;
}

export interface ClientSpec {
  readonly name: string;
  /** npm packages at exact versions; the first is the client. */
  readonly packages: readonly `${string}@${string}`[];
  /** Run by Node, of which a new one is installed with it. */
  readonly needsNode: boolean;
  /** Its settings, by path below its home. */
  files(place: Place): Readonly<Record<string, string>>;
  env(place: Place): Readonly<Record<string, string>>;
  /** One step, headless; from the second on in the same conversation. */
  command(place: Place, step: number, prompt: string): readonly string[];
}

/** The platform's part of package names, as most clients spell it: `linux-x64`. */
export const PLATFORM = `${process.platform}-${process.arch}`;
