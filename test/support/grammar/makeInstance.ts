/**
 * Random values for a JSON Schema, made from the schema's own words and not from the grammar: a validator then
 * says which of them are right. Keys come in the order of `properties`; what is not said is read as closed.
 */
import fc from "fast-check";
import type { Prng } from "../tinyModels/Prng.ts";

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };
export type PlainSchema = boolean | { readonly [keyword: string]: unknown };
type Words = { readonly [keyword: string]: unknown };

const DEPTH_MAX = 6;
const SAMPLE_WORDS = [
  "",
  "a",
  "hello world",
  'quo"te',
  "back\\slash",
  "line\nbreak",
  "tab\t",
  "é漢😀",
  "/path/to/file.ts",
  "x".repeat(40),
];

export class InstanceMaker {
  readonly #root: PlainSchema;
  readonly #random: Prng;
  readonly #patterns = new Map<string, readonly string[]>();

  constructor(root: PlainSchema, random: Prng) {
    this.#root = root;
    this.#random = random;
  }

  make(): Plain {
    return this.#value(this.#root, 0);
  }

  #below(count: number): number {
    return Math.floor(this.#random.uniform() * count);
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[this.#below(list.length)];
  }

  #value(schema: PlainSchema, depth: number): Plain {
    if (typeof schema === "boolean") return this.#anything(depth);
    const words = this.#flat(schema, 0);
    if ("const" in words) return words["const"] as Plain;
    if (Array.isArray(words["enum"])) return this.#pick(words["enum"] as Plain[]) ?? null;
    const type = this.#pick([words["type"] ?? impliedType(words)].flat());
    switch (type) {
      case "null":
        return null;
      case "boolean":
        return this.#below(2) === 1;
      case "integer":
        return Math.round(this.#number(words));
      case "number":
        return this.#number(words);
      case "string":
        return this.#text(words);
      case "array":
        return this.#array(words, depth);
      case "object":
        return this.#object(words, depth);
      default:
        return this.#anything(depth);
    }
  }

  /** References followed, one option taken of each choice, and all of it in one. */
  #flat(schema: PlainSchema, depth: number): Words {
    if (typeof schema === "boolean" || depth > 20) return {};
    const { $ref: ref, allOf, anyOf, oneOf, ...own } = schema;
    let words: Words = own;
    const add = (other: unknown) => {
      words = merged(words, this.#flat(other as PlainSchema, depth + 1));
    };
    if (typeof ref === "string") add(resolve(this.#root, ref));
    for (const part of (allOf as PlainSchema[] | undefined) ?? []) add(part);
    if (Array.isArray(anyOf)) add(this.#pick(anyOf));
    if (Array.isArray(oneOf)) add(this.#pick(oneOf));
    return words;
  }

  #anything(depth: number): Plain {
    const kind = this.#below(depth >= DEPTH_MAX ? 5 : 7);
    if (kind === 0) return null;
    if (kind === 1) return true;
    if (kind === 2) return this.#below(1000) - 500;
    if (kind === 3) return this.#below(1000) / 8;
    if (kind === 4) return this.#pick(SAMPLE_WORDS) ?? "";
    if (kind === 5) return Array.from({ length: this.#below(3) }, () => this.#anything(depth + 1));
    return Object.fromEntries(
      Array.from({ length: this.#below(3) }, (_, i) => [`k${i}`, this.#anything(depth + 1)]),
    );
  }

  #number(words: Words): number {
    const step = numberOf(words["multipleOf"]);
    const low = numberOf(words["minimum"]) ?? numberOf(words["exclusiveMinimum"]);
    const high = numberOf(words["maximum"]) ?? numberOf(words["exclusiveMaximum"]);
    const from = low ?? (high === undefined ? -1000 : high - 1000);
    const to = high ?? from + 2000;
    const kind = this.#below(5);
    let value = from + this.#random.uniform() * (to - from);
    if (kind === 0) value = from;
    if (kind === 1) value = to;
    if (kind === 2) value = Math.round(value);
    if (kind === 3) value = Number(value.toFixed(this.#below(4)));
    if (step !== undefined) value = Number((Math.round(value / step) * step).toFixed(6));
    return Math.abs(value) < 1e-6 ? 0 : value;
  }

  #text(words: Words): string {
    const min = numberOf(words["minLength"]) ?? 0;
    const max = numberOf(words["maxLength"]) ?? Number.POSITIVE_INFINITY;
    const { pattern, format } = words;
    let text = this.#pick(SAMPLE_WORDS) ?? "";
    if (typeof format === "string") text = this.#formatted(format) ?? text;
    if (typeof pattern === "string") text = this.#pick(this.#matching(pattern)) ?? text;
    if (typeof pattern === "string" || typeof format === "string") return text;
    const chars = Array.from(text);
    while (chars.length < min) chars.push(this.#pick(["a", "Z", "7", " ", "é", "😀", "\n"]) ?? "a");
    return chars.slice(0, Math.min(max, Math.max(min, chars.length))).join("");
  }

  #matching(pattern: string): readonly string[] {
    let known = this.#patterns.get(pattern);
    if (known === undefined) {
      // It knows no look-ahead; what does not fit then, the validator refuses.
      const plain = pattern.replace(/\(\?[!=][^)]*\)/g, "");
      const made = fc.sample(fc.stringMatching(new RegExp(plain, "u")), {
        numRuns: 60,
        seed: this.#below(1 << 30),
      });
      known = made.filter((text) => text.isWellFormed());
      this.#patterns.set(pattern, known);
    }
    return known;
  }

  #formatted(format: string): string | undefined {
    const digits = (count: number): string => String(this.#below(10 ** count)).padStart(count, "0");
    const date = new Date(this.#below(4_000_000_000) * 1000).toISOString();
    switch (format) {
      case "date":
        return date.slice(0, 10);
      case "time":
        return this.#pick([date.slice(11), `${date.slice(11, 19)}+02:00`]);
      case "date-time":
        return this.#pick([date, `${date.slice(0, 19)}-05:30`, `${date.slice(0, 19)}Z`]);
      case "uuid":
        return `${digits(8)}-${digits(4)}-4abc-a${digits(3)}-${digits(6)}abcdef`;
      case "email":
        return this.#pick(["a@b.co", "first.last+tag@example.com", "x_1@sub.domain.org"]);
      case "hostname":
        return this.#pick(["localhost", "a.example.com", "x-1.y"]);
      case "ipv4":
        return `${this.#below(256)}.${this.#below(256)}.0.${this.#below(256)}`;
      case "ipv6":
        return this.#pick(["::1", "2001:db8::1", "fe80:0:0:0:1:2:3:4", "1::"]);
      case "uri":
        return this.#pick(["https://example.com/a?b=c#d", "mailto:a@b.co", "http://localhost:80/x%20y"]);
      case "duration":
        return this.#pick(["P1D", "PT5M", "P1Y2M3DT4H5M6S", "P2W"]);
      default:
        return undefined;
    }
  }

  #array(words: Words, depth: number): Plain[] {
    const tuple = (words["prefixItems"] ??
      (Array.isArray(words["items"]) ? words["items"] : [])) as PlainSchema[];
    const rest = (Array.isArray(words["items"]) ? words["additionalItems"] : words["items"]) as
      | PlainSchema
      | undefined;
    const isOpen = rest !== false && (rest !== undefined || tuple.length === 0);
    const min = numberOf(words["minItems"]) ?? 0;
    const max = Math.min(
      numberOf(words["maxItems"]) ?? Number.POSITIVE_INFINITY,
      isOpen ? Number.POSITIVE_INFINITY : tuple.length,
    );
    const wanted = depth >= DEPTH_MAX ? min : min + this.#below(4);
    const length = Math.min(max, Math.max(wanted, this.#below(2) === 0 ? tuple.length : 0));
    return Array.from({ length }, (_, index) => this.#value(tuple[index] ?? rest ?? true, depth + 1));
  }

  #object(words: Words, depth: number): Plain {
    const required = new Set((words["required"] ?? []) as string[]);
    const properties = (words["properties"] ?? {}) as { readonly [name: string]: PlainSchema };
    const patterns = Object.entries(
      (words["patternProperties"] ?? {}) as { readonly [name: string]: PlainSchema },
    );
    const additional = words["additionalProperties"] as PlainSchema | undefined;
    const pairs: [string, Plain][] = [];
    const chance = this.#pick([0.2, 0.6, 1]) ?? 1;
    for (const [name, schema] of Object.entries(properties)) {
      const isWanted = required.has(name) || (this.#random.uniform() < chance && depth < DEPTH_MAX);
      if (schema !== false && isWanted) pairs.push([name, this.#value(schema, depth + 1)]);
    }
    for (const name of required)
      if (!(name in properties)) pairs.push([name, this.#value(additional ?? true, depth + 1)]);
    const isOpen =
      additional !== false &&
      (additional !== undefined || (Object.keys(properties).length === 0 && patterns.length === 0));
    const min = numberOf(words["minProperties"]) ?? 0;
    const extra = depth >= DEPTH_MAX ? 0 : Math.max(this.#below(3), min - pairs.length);
    for (let index = 0; index < extra; index += 1) {
      const [pattern, schema] = this.#pick(patterns) ?? [];
      if (pattern !== undefined && schema !== undefined && (this.#below(2) === 0 || !isOpen)) {
        pairs.push([this.#pick(this.#matching(pattern)) ?? "x", this.#value(schema, depth + 1)]);
      } else if (isOpen) {
        const key = this.#keyFor(words, index);
        if (!(key in properties)) pairs.push([key, this.#value(additional ?? true, depth + 1)]);
      }
    }
    return Object.fromEntries(pairs);
  }

  #keyFor(words: Words, index: number): string {
    const names = words["propertyNames"];
    if (typeof names === "object" && names !== null) {
      const text = this.#value({ type: "string", ...names }, DEPTH_MAX);
      if (typeof text === "string") return text;
    }
    return (
      this.#pick(["extra", "x-y", 'q"k', "é", "name", ""]) +
      (index === 0 ? "" : String.fromCodePoint(96 + index))
    );
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function impliedType(words: Words): string | undefined {
  const has = (...names: string[]) => names.some((name) => name in words);
  if (
    has(
      "properties",
      "required",
      "additionalProperties",
      "patternProperties",
      "propertyNames",
      "minProperties",
    )
  )
    return "object";
  if (has("items", "prefixItems", "minItems", "maxItems")) return "array";
  if (has("pattern", "minLength", "maxLength")) return "string";
  if (has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) return "number";
  return undefined;
}

function merged(a: Words, b: Words): Words {
  const out: Record<string, unknown> = { ...a, ...b };
  if (a["properties"] !== undefined && b["properties"] !== undefined) {
    out["properties"] = { ...(a["properties"] as object), ...(b["properties"] as object) };
  }
  if (a["required"] !== undefined && b["required"] !== undefined) {
    out["required"] = [...(a["required"] as string[]), ...(b["required"] as string[])];
  }
  for (const [keyword, choose] of [
    ["minimum", Math.max],
    ["minLength", Math.max],
    ["maximum", Math.min],
    ["maxLength", Math.min],
  ] as const) {
    const [one, two] = [numberOf(a[keyword]), numberOf(b[keyword])];
    if (one !== undefined && two !== undefined) out[keyword] = choose(one, two);
  }
  return out;
}

function resolve(root: PlainSchema, ref: string): PlainSchema {
  let at: unknown = root;
  for (const step of ref.split("/").slice(1)) {
    at = (at as Record<string, unknown>)[step.replace(/~1/g, "/").replace(/~0/g, "~")];
  }
  return at as PlainSchema;
}
