/** Remembered results of the self-test: one small file a setup, in the home folder under the setup's hash. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SelfTestResult } from "./proveStates.ts";

/** Anything wrong with a file makes it absent, never an error. */
export class SelfTestMemory {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, "self-test");
  }

  read(setup: bigint): SelfTestResult | undefined {
    try {
      const text = readFileSync(this.#path(setup), "utf8");
      const value: unknown = JSON.parse(text);
      return isResult(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  write(setup: bigint, result: SelfTestResult): void {
    try {
      mkdirSync(this.#folder, { recursive: true });
      const temporary = `${this.#path(setup)}.${process.pid}.tmp`;
      writeFileSync(temporary, JSON.stringify(result));
      renameSync(temporary, this.#path(setup));
    } catch {
      // A read-only home costs the self-test at the next start, nothing else.
    }
  }

  #path(setup: bigint): string {
    return join(this.#folder, `${setup.toString(16).padStart(16, "0")}.json`);
  }
}

function isResult(value: unknown): value is SelfTestResult {
  return (
    typeof value === "object" &&
    value !== null &&
    "allowed" in value &&
    typeof value.allowed === "boolean" &&
    "why" in value &&
    typeof value.why === "string" &&
    "together" in value &&
    typeof value.together === "boolean" &&
    "rollsBack" in value &&
    typeof value.rollsBack === "boolean" &&
    "rows" in value &&
    typeof value.rows === "boolean" &&
    "pads" in value &&
    typeof value.pads === "boolean"
  );
}
