/**
 * One flag: how it is spelt, where else it may come from, what it takes, and what it means. Written by hand:
 * `@stricli/core`, like other parsers, reads `-ngl` as three flags of one letter, where llama-server's users mean one,
 * and knows neither two environment variables a flag nor a file.
 */
export interface Flag<T> {
  /** All spellings, the one that is shown first in front; short ones as llama-server has them (`-ngl`). */
  readonly names: readonly string[];
  /** Spellings that say "no" (booleans only). */
  readonly negative: readonly string[];
  /** Environment variables besides `WARMTURN_<NAME>`. */
  readonly env: readonly string[];
  /** Placeholder in the help, "" for a switch. */
  readonly takes: string;
  /** For the help and docs/flags.md. */
  readonly defaultText: string;
  readonly help: string;
  readonly fallback: T;
  /** May be given more than once; the values are put together. */
  readonly join: ((a: T, b: T) => T) | undefined;
  /** Never shown, not even in an error. */
  readonly secret?: boolean;
  /** Where it would make no sense. */
  readonly notIn?: readonly ("environment" | "file")[];
  /** What is allowed, in words, for the error. */
  readonly allowed: string;
  /** undefined where the text is not allowed. */
  readonly read: (text: string) => T | undefined;
}

interface Spelling {
  readonly names: string;
  readonly env?: string;
  readonly help: string;
}

const words = (text: string | undefined): readonly string[] => text?.split(" ") ?? [];

function flag<T>(
  spelling: Spelling,
  rest: Omit<Flag<T>, "names" | "negative" | "env" | "help" | "join">,
): Flag<T> {
  return {
    names: words(spelling.names),
    negative: [],
    env: words(spelling.env),
    help: spelling.help,
    join: undefined,
    ...rest,
  };
}

export function text(spelling: Spelling, takes: string): Flag<string | null> {
  return flag<string | null>(spelling, {
    takes,
    defaultText: "",
    fallback: null,
    allowed: "a non-empty text",
    read: (value) => (value === "" ? undefined : value),
  });
}

/** `null` with `defaultText` is for what is decided later. */
export function number<T extends number | null>(
  spelling: Spelling,
  fallback: T,
  rule: {
    readonly min: number;
    readonly max: number;
    readonly whole: boolean;
    readonly defaultText?: string;
  },
): Flag<number | T> {
  const kind = rule.whole ? "a whole number" : "a number";
  const range =
    rule.min === Number.NEGATIVE_INFINITY
      ? ""
      : Number.isFinite(rule.max)
        ? `from ${rule.min} to ${rule.max}`
        : `of at least ${rule.min}`;
  return flag<number | T>(spelling, {
    takes: "N",
    defaultText: rule.defaultText ?? String(fallback),
    fallback,
    allowed: `${kind} ${range}`.trim(),
    read: (value) => {
      const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value) ? Number(value) : Number.NaN;
      const fits = number >= rule.min && number <= rule.max && (!rule.whole || Number.isInteger(number));
      return fits ? number : undefined;
    },
  });
}

export function choice<T extends string>(spelling: Spelling, values: readonly T[], fallback: T): Flag<T>;
export function choice<T extends string>(
  spelling: Spelling,
  values: readonly T[],
  fallback: null,
): Flag<T | null>;
export function choice<T extends string>(
  spelling: Spelling,
  values: readonly T[],
  fallback: T | null,
): Flag<T | null> {
  return flag<T | null>(spelling, {
    takes: values.join("|"),
    defaultText: fallback ?? "",
    fallback,
    allowed: values.join(", "),
    read: (value) => values.find((one) => one === value),
  });
}

const YES = ["1", "true", "on", "yes", "enabled"];
const NO = ["0", "false", "off", "no", "disabled"];

/**
 * A switch; in the environment and after `=` it takes on and off. `--no-…` is spelt by `negative`. `null` with
 * `defaultText` is for what is decided later.
 */
export function toggle<T extends boolean | null>(
  spelling: Spelling & { readonly negative?: string },
  fallback: T,
  defaultText: string = fallback === true ? "on" : "off",
): Flag<boolean | T> {
  const base = flag<boolean | T>(spelling, {
    takes: "",
    defaultText,
    fallback,
    allowed: `${YES.join(", ")} or ${NO.join(", ")}`,
    read: (value) => (YES.includes(value) ? true : NO.includes(value) ? false : undefined),
  });
  return { ...base, negative: words(spelling.negative) };
}

/** A value with a rule of its own. */
export function custom<T>(
  spelling: Spelling,
  rule: Pick<Flag<T>, "takes" | "defaultText" | "fallback" | "allowed" | "read">,
): Flag<T> {
  return flag<T>(spelling, rule);
}

/** A list that is separated by commas and may be given several times. */
export function list<T>(
  spelling: Spelling,
  rule: {
    readonly takes: string;
    readonly allowed: string;
    readonly separator?: RegExp;
    readonly secret?: boolean;
    readonly item: (text: string) => T | undefined;
  },
): Flag<readonly T[]> {
  const base = flag<readonly T[]>(spelling, {
    takes: rule.takes,
    defaultText: "",
    fallback: [],
    allowed: rule.allowed,
    ...(rule.secret === undefined ? {} : { secret: rule.secret }),
    read: (value) => {
      const items = value.split(rule.separator ?? /,/).map((part) => rule.item(part.trim()));
      const good = items.filter((item) => item !== undefined);
      return good.length === items.length ? good : undefined;
    },
  });
  return { ...base, join: (a, b) => [...a, ...b] };
}

const UNITS: Readonly<Record<string, number>> = {
  "": 2 ** 20,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
};

/** Bytes; a bare number is MiB, as llama-server's `--cache-ram`. */
export function bytes<T extends number | null>(
  spelling: Spelling,
  fallback: T,
  defaultText: string,
): Flag<number | T> {
  return flag<number | T>(spelling, {
    takes: "SIZE",
    defaultText,
    fallback,
    allowed: "a size such as 512M, 8G or 0 (a bare number is MiB)",
    read: bytesIn,
  });
}

/** As `bytes`, or `off`, which is 0. */
export function bytesOrOff(spelling: Spelling, defaultText: string): Flag<number> {
  return flag<number>(spelling, {
    takes: "SIZE|off",
    defaultText,
    fallback: 0,
    allowed: "a size such as 512M or 20G (a bare number is MiB), or off",
    read: (value) => (value.toLowerCase() === "off" ? 0 : bytesIn(value)),
  });
}

function bytesIn(value: string): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([kmgt]?)(?:i?b)?$/i.exec(value) ?? [];
  if (count === undefined) return undefined;
  return Math.round(Number(count) * (UNITS[unit?.toLowerCase() ?? ""] ?? 1));
}
