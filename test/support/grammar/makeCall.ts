/** Random tools from a seed, with arguments that fit their schemas, keys in any order, and others that do not. */
import type { Tool } from "../../../src/chat/Message.ts";
import type { Json, JsonObject } from "../../../src/json/json.ts";
import { fromPlain } from "../../../src/json/plainJson.ts";
import type { Prng } from "../tinyModels/Prng.ts";

type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };
type PlainSchema = { readonly [keyword: string]: unknown };

export interface CallSample {
  readonly tool: Tool;
  readonly schema: PlainSchema;
  readonly value: JsonObject;
  /** Most of them are refused by the schema. */
  readonly wrong: readonly JsonObject[];
}

const NAMES = ["path", "limit", "offset", "mode", "Content-Type", "tags", "filter", "x_1", "note", "zeta"];
const TEXTS = [
  "a",
  "hello world",
  "src/a b.ts",
  "two\nlines\n\tand more",
  'say "hé" 🙂',
  "it's 'quoted'",
  "back\\slash \\n",
  "if (a < b && c > d) { return [1, 2]; }",
  "k: v, {x}",
  "trailing ",
];
const WORDS = ["fast", "slow", "ümläut", "two words", "low"];

/** `unlike`: texts that this matches are left out. */
export function makeCall(random: Prng, unlike: RegExp | null): CallSample {
  return new CallMaker(random, unlike).make();
}

class CallMaker {
  readonly #random: Prng;
  readonly #texts: readonly string[];

  constructor(random: Prng, unlike: RegExp | null) {
    this.#random = random;
    this.#texts = TEXTS.filter((text) => unlike === null || !unlike.test(text));
  }

  make(): CallSample {
    const schema = this.#object(0);
    const value = this.#value(schema) as { readonly [key: string]: Plain };
    const name = this.#pick(["get_thing", "f", "Calendar.create"]);
    const parameters = fromPlain(schema);
    const definition = new Map<string, Json>([
      ["type", "function"],
      [
        "function",
        new Map<string, Json>([
          ["name", name],
          ["description", "d"],
          ["parameters", parameters],
        ]),
      ],
    ]);
    const wrong = Array.from({ length: 6 }, () => this.#spoilt(value)).filter((one) => isObject(one));
    return {
      tool: { name, definition },
      schema,
      value: jsonOf(value),
      wrong: wrong.map((one) => jsonOf(one)),
    };
  }

  #below(count: number): number {
    return Math.floor(this.#random.uniform() * count);
  }

  #pick<T>(list: readonly T[]): T {
    const one = list[this.#below(list.length)];
    if (one === undefined) throw new Error("an empty list");
    return one;
  }

  #shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((one) => [this.#random.uniform(), one] as const)
      .sort(([a], [b]) => a - b)
      .map(([, one]) => one);
  }

  #object(depth: number): PlainSchema {
    const names = NAMES.filter(() => this.#below(3) === 0);
    if (names.length === 0) names.push("path");
    const properties = Object.fromEntries(names.map((name) => [name, this.#schema(depth + 1)]));
    const required = names.filter(() => this.#below(2) === 0);
    return { type: "object", properties, required, additionalProperties: false };
  }

  #schema(depth: number): PlainSchema {
    switch (this.#below(depth > 3 ? 8 : 11)) {
      case 0:
        return { type: "integer", minimum: 1, maximum: 100 };
      case 1:
        return { type: "number" };
      case 2:
        return { type: "boolean" };
      case 3:
        return { enum: WORDS.slice(this.#below(2)) };
      case 4:
        return { type: ["integer", "null"] };
      case 5:
        return { enum: [1, 2, null] };
      case 6:
        return { type: "string", pattern: "^[a-z]{1,8}$" };
      case 7:
        return { type: "string" };
      case 8:
        return { type: "array", items: this.#schema(depth + 1), maxItems: 3 };
      case 9:
        return { anyOf: [this.#object(depth + 1), { type: "integer" }] };
      default:
        return this.#object(depth + 1);
    }
  }

  #value(schema: PlainSchema): Plain {
    const { type, enum: values, pattern, anyOf, items } = schema;
    if (Array.isArray(values)) return this.#pick(values as Plain[]);
    if (Array.isArray(anyOf)) return this.#value(this.#pick(anyOf as PlainSchema[]));
    if (pattern !== undefined) return this.#pick(["a", "abc", "zz"]);
    switch (Array.isArray(type) ? this.#pick(type as string[]) : type) {
      case "integer":
        return 1 + this.#below(99);
      case "number":
        return this.#pick([0.5, -1.25, 3, 1e3]);
      case "boolean":
        return this.#below(2) === 1;
      case "null":
        return null;
      case "string":
        return this.#pick(this.#texts);
      case "array":
        return Array.from({ length: this.#below(4) }, () => this.#value(items as PlainSchema));
      default:
        return this.#members(schema);
    }
  }

  #members({ properties, required }: PlainSchema): Plain {
    const all = properties as { readonly [key: string]: PlainSchema };
    const names = Object.keys(all).filter(
      (name) => (required as string[]).includes(name) || this.#below(2) === 0,
    );
    return Object.fromEntries(this.#shuffled(names).map((name) => [name, this.#value(all[name] ?? {})]));
  }

  /** The same with one thing wrong somewhere: another kind, a key that is missing, or one too many. */
  #spoilt(value: Plain): Plain {
    if (Array.isArray(value) && value.length > 0 && this.#below(3) > 0) {
      const at = this.#below(value.length);
      return value.map((item: Plain, i) => (i === at ? this.#spoilt(item) : item));
    }
    if (isObject(value)) {
      const keys = Object.keys(value);
      const kind = this.#below(6);
      if (kind === 0 || keys.length === 0) return { ...value, unknown: 1 };
      const key = this.#pick(keys);
      if (kind === 1) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
      return { ...value, [key]: this.#spoilt(value[key] ?? null) };
    }
    const others: Plain[] = [true, 1000, 99.5, "UPPER CASE!", [{ odd: 1 }], { odd: [] }, null, []];
    return this.#pick(others);
  }
}

function isObject(value: Plain): value is { readonly [key: string]: Plain } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function jsonOf(value: { readonly [key: string]: Plain }): JsonObject {
  const json = fromPlain(value);
  return json instanceof Map ? json : new Map();
}
