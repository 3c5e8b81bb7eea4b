/**
 * What a string of each known `format` looks like. A format that is not known says nothing (JSON Schema takes
 * it as a remark). Where the standard allows more than anybody writes, the common form is meant.
 */
import type { Dfa } from "./Dfa.ts";
import { patternDfa } from "./patternDfa.ts";
import { beyondWork } from "./Work.ts";

const LEAP = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const DATE =
  "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)" +
  `|02-(?:0[1-9]|1[0-9]|2[0-8]))|${LEAP}-02-29)`;
const TIME =
  "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[-+](?:[01][0-9]|2[0-3]):[0-5][0-9])";
const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,30}[a-zA-Z0-9])?";
const BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const IPV4 = `${BYTE}(?:\\.${BYTE}){3}`;
const HEX4 = "[0-9a-fA-F]{1,4}";
const IPV6 = [
  `(?:${HEX4}:){7}${HEX4}`,
  ...[1, 2, 3, 4, 5, 6].map((left) => `(?:${HEX4}:){${left}}(?::${HEX4}){1,${7 - left}}`),
  `:(?::${HEX4}){1,7}`,
  `(?:${HEX4}:){1,7}:`,
  "::",
].join("|");
const URI_CHARS = "[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9a-fA-F]{2}";
const URI = `[a-zA-Z][a-zA-Z0-9+.-]*:(?:${URI_CHARS})+(?:#(?:${URI_CHARS})*)?`;
const COUNT = "[0-9]{1,9}";
const CLOCK = `T(?:${COUNT}H(?:${COUNT}M(?:${COUNT}S)?)?|${COUNT}M(?:${COUNT}S)?|${COUNT}S)`;
const DAYS = `(?:${COUNT}Y(?:${COUNT}M(?:${COUNT}D)?)?|${COUNT}M(?:${COUNT}D)?|${COUNT}D)`;
const DURATION = `P(?:${COUNT}W|${DAYS}(?:${CLOCK})?|${CLOCK})`;

const FORMATS: Readonly<Record<string, string>> = {
  date: DATE,
  time: TIME,
  "date-time": `${DATE}T${TIME}`,
  duration: DURATION,
  uuid: "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
  email: `(?=[^@]{1,64}@)[a-zA-Z0-9_+-]+(?:\\.[a-zA-Z0-9_+-]+)*@(?:${LABEL}\\.){1,4}[a-zA-Z]{2,24}`,
  hostname: `${LABEL}(?:\\.${LABEL}){0,6}`,
  ipv4: IPV4,
  ipv6: `(?:${IPV6})`,
  uri: URI,
  url: `https?://(?:${URI_CHARS})+(?:#(?:${URI_CHARS})*)?`,
};

const known = new Map<string, Dfa>();

/** Null for a format that says nothing. */
export function formatDfa(format: string): Dfa | null {
  const pattern = formatPattern(format);
  if (pattern === null) return null;
  const dfa = known.get(format) ?? beyondWork(() => patternDfa(pattern));
  known.set(format, dfa);
  return dfa;
}

function formatPattern(format: string): string | null {
  const pattern = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (pattern === undefined) return null;
  // A look-ahead stands at the very start.
  const ahead = /^\(\?=[^)]*\)/.exec(pattern)?.[0] ?? "";
  return `^${ahead}(?:${pattern.slice(ahead.length)})$`;
}
