/** Optional fields of a request body, read with their limits; `null` is the same as absent. */
import { invalid, kindOf } from "../../chat/fields.ts";
import type { Json, JsonObject } from "../../json/json.ts";
import { isJsonNumber } from "../../json/kinds.ts";

export interface NumberRule {
  readonly min?: number;
  readonly max?: number;
  readonly whole?: boolean;
}

export class RequestFields {
  readonly #body: JsonObject;
  readonly #at: string;

  /** `at` stands before the names in errors: "", or as `stream_options.`. */
  constructor(body: JsonObject, at = "") {
    this.#body = body;
    this.#at = at;
  }

  get(name: string): Json | undefined {
    const value = this.#body.get(name);
    return value === null ? undefined : value;
  }

  boolean(name: string, fallback: boolean): boolean {
    const value = this.get(name);
    if (value === undefined) return fallback;
    if (typeof value === "boolean") return value;
    throw invalid(this.#at + name, `must be true or false, not ${kindOf(value)}.`);
  }

  text(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === "string") return value;
    throw invalid(this.#at + name, `must be a string, not ${kindOf(value)}.`);
  }

  number(name: string, fallback: number, rule: NumberRule = {}): number {
    const value = this.get(name);
    return value === undefined ? fallback : numberAt(value, this.#at + name, rule);
  }
}

export function numberAt(value: Json | undefined, field: string, rule: NumberRule = {}): number {
  const kind = rule.whole === true ? "a whole number" : "a number";
  const right = `must be ${kind}${rangeOf(rule)}`;
  if (!isJsonNumber(value)) throw invalid(field, `${right}, not ${kindOf(value)}.`);
  const number = Number(value.raw);
  const fits =
    Number.isFinite(number) &&
    (rule.whole !== true || Number.isInteger(number)) &&
    number >= (rule.min ?? Number.NEGATIVE_INFINITY) &&
    number <= (rule.max ?? Number.POSITIVE_INFINITY);
  if (!fits) throw invalid(field, `${right}, not ${value.raw}.`);
  return number;
}

function rangeOf({ min, max }: NumberRule): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? "" : ` of at most ${max}`;
}
