/**
 * What the small programs share that stand for frameworks: one step of a conversation whose history lies in a file, a
 * shell as the only tool. The frameworks are loaded from where the runner has installed them.
 */
import { join } from "node:path";

/** biome-ignore lint/suspicious/noExplicitAny: frameworks of no version that is installed here */
export type Loose = any;

export interface Program {
  /** Of the server, with `/v1`. */
  readonly baseURL: string;
  readonly prompt: string;
  /** As the last step left it; null in the first. */
  readonly history: Loose;
  load(name: string): Promise<Loose>;
  keep(history: Loose): Promise<void>;
}

export const INSTRUCTIONS = `You keep the books of a workshop. ${"Look before you answer, and answer in one sentence. ".repeat(12)}`;

export const PARAMETERS = {
  type: "object",
  properties: { command: { type: "string", description: "what the shell is to run" } },
  required: ["command"],
  additionalProperties: false,
} as const;

export const SHELL = {
  name: "bash",
  description: "Runs a command in the shell, and tells what it has printed.",
};

export async function bash({ command }: { readonly command: string }): Promise<string> {
  const child = Bun.spawn(["sh", "-c", command], { stdio: ["ignore", "pipe", "inherit"] });
  return await new Response(child.stdout).text();
}

/** Runs it with the arguments that `programCommand` gave. */
export async function runProgram(program: (of: Program) => Promise<void>): Promise<void> {
  const [installed = "", url = "", home = "", prompt = ""] = process.argv.slice(2);
  const file = Bun.file(join(home, "history.json"));
  await program({
    baseURL: `${url}/v1`,
    prompt,
    history: (await file.exists()) ? await file.json() : null,
    load: async (name) => await import(Bun.resolveSync(name, installed)),
    keep: async (history) => void (await Bun.write(file, JSON.stringify(history))),
  });
  process.exit(0);
}
