/**
 * Variables that nothing reads: a misspelt one would leave the server as if it had not been set. Each is told; one
 * that may have been meant to shut the server ends the start.
 */

import { ConfigError } from "./ConfigError.ts";
import { CHAT_FLAGS } from "./chatFlags.ts";
import { FLAGS } from "./flags.ts";
import { nearest } from "./nearest.ts";
import { type AnyFlag, envName } from "./Setting.ts";

/** Read elsewhere: where things lie, and what tests set. */
const OTHERS = ["WARMTURN_HOME", "WARMTURN_SHIM", "WARMTURN_SUPERVISOR", "WARMTURN_WRITE_RESULTS"];
const OF_TESTS = "WARMTURN_TEST_";
/** What Kubernetes sets in every container beside a service that is called warmturn. */
const OF_SERVICES = /^WARMTURN_(.*_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP)(_\w+)?)$/;

const PREFIX = /^(WARMTURN_|LLAMA_ARG_|LLAMA_API_)/;
/** Whoever sets a variable with such a word in its name means to let somebody in, or to keep somebody out. */
const SHUTS = /KEY|TOKEN|SECRET|PASSWORD|AUTH|HOST|ORIGIN|CORS|INSECURE|BIND|LISTEN/;

/** One sentence for each. Throws ConfigError. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = new Set(knownVariables());
  const unknown = Object.keys(env).filter(
    (name) =>
      PREFIX.test(name) &&
      !known.has(name) &&
      !name.startsWith(OF_TESTS) &&
      !OF_SERVICES.test(name) &&
      env[name] !== "",
  );
  return unknown.sort().map((name) => {
    const near = nearestVariable(name, [...known]);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    const says = `The environment variable ${name} is not read here.${hint}`;
    const shuts = SHUTS.test(near ?? "") || (name.startsWith("WARMTURN_") && SHUTS.test(name));
    if (shuts) throw new ConfigError(`${says} Nothing is started: it may decide who is let in.`);
    return says;
  });
}

function knownVariables(): readonly string[] {
  const flags = Object.values({ ...FLAGS, ...CHAT_FLAGS }) as unknown as readonly AnyFlag[];
  const read = flags.filter(({ notIn }) => notIn?.includes("environment") !== true);
  return [...read.flatMap((flag) => [envName(flag), ...flag.env]), ...OTHERS];
}

/** What stands behind the prefix is compared: the prefix alone would make any two alike. */
function nearestVariable(name: string, known: readonly string[]): string | undefined {
  const prefix = PREFIX.exec(name)?.[1] ?? "";
  const ends = known.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
  const near = nearest(name.slice(prefix.length), ends);
  return near === undefined ? undefined : `${prefix}${near}`;
}
