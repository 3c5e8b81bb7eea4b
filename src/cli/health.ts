/** `warmturn health`: asks a server whether its model is loaded; the exit code says so, for containers and scripts. */
import { FLAGS } from "../config/flags.ts";
import { flagRows, type HelpGroup } from "../config/help.ts";
import { type Env, parseTable } from "../config/parseFlags.ts";

/** The server's own, so that one environment serves both. */
const ADDRESS = { host: FLAGS.host, port: FLAGS.port };
const ASK_MS_MAX = 3000;
/** An address to listen on that is none to ask at. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export const helpGroups: readonly HelpGroup[] = [{ title: "The server's address", rows: flagRows(ADDRESS) }];

/** 0: the model is loaded. 1: it is loading or the server is closing. 2: no server answers. */
export async function run(argv: readonly string[], env: Env): Promise<number> {
  const { flags } = parseTable(ADDRESS, argv, env);
  const host = EVERYWHERE[flags.host ?? ""] ?? flags.host ?? "127.0.0.1";
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${flags.port}/health`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ASK_MS_MAX) });
    const { status } = (await answer.json()) as { readonly status?: string };
    console.log(status ?? answer.status);
    return answer.ok ? 0 : 1;
  } catch {
    console.log(`no server answers at ${url}`);
    return 2;
  }
}
