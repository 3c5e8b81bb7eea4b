/** A value of a setting, and where it comes from. */
import type { Flag } from "./flag.ts";

export type AnyFlag = Flag<unknown>;

export interface Setting {
  readonly value: unknown;
  readonly from: "command line" | "environment" | "file" | "default";
  /** The flag as it was typed, the variable, or the file. */
  readonly name: string;
  /** As it was given, once for each time; empty for a default. */
  readonly texts: readonly string[];
}

/** `--state-ram` is `state-ram` in a file. */
export function settingName(flag: Pick<AnyFlag, "names">): string {
  return (flag.names[0] ?? "").replace(/^-+/, "");
}

/** `--state-ram` is `WARMTURN_STATE_RAM` in the environment. */
export function envName(flag: AnyFlag): string {
  return `WARMTURN_${settingName(flag).replaceAll("-", "_").toUpperCase()}`;
}
