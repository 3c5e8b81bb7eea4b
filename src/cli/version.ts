/** `warmturn version`: this program's version, and those of what is inside. */
import { Backend } from "../../ffi/Backend.ts";
import { version } from "../../package.json";
import { isCompiled } from "../base/workerUrl.ts";
import type { HelpGroup } from "../config/help.ts";
import { type Env, parseTable } from "../config/parseFlags.ts";

export const helpGroups: readonly HelpGroup[] = [];

export async function run(argv: readonly string[], _env: Env): Promise<number> {
  parseTable({}, argv, {});
  const rows = [
    ["warmturn", `${version}${isCompiled ? "" : " (from sources)"}`],
    ["llama.cpp", llamaVersion()],
    ["bun", Bun.version],
    ["platform", `${process.platform}-${process.arch}`],
  ];
  for (const [name = "", value = ""] of rows) console.log(`${name.padEnd(10)} ${value}`);
  return 0;
}

/** What is wrong with the library is said in its place. */
function llamaVersion(): string {
  try {
    using backend = Backend.open({});
    return `${backend.version()}, ${backend
      .devices()
      .map(({ name }) => name)
      .join(", ")}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
