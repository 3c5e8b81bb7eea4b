/** Random schemas from a seed, of the keywords that a grammar holds. */
import type { Prng } from "../tinyModels/Prng.ts";
import type { PlainSchema } from "./makeInstance.ts";

const NAMES = ["id", "name", "path", "count", "items", "tags", "mode", "value", "opts", "x-y", "é", "a b"];
const PATTERNS = ["^[a-z]+$", "^\\d{2,4}$", "^x", "y$", "[A-Z]", "^(on|off)$", "^\\w+(\\.\\w+)?$"];
const FORMATS = [
  "date",
  "time",
  "date-time",
  "uuid",
  "email",
  "ipv4",
  "ipv6",
  "uri",
  "hostname",
  "duration",
  "other",
];

export function makeSchema(random: Prng): PlainSchema {
  return new SchemaMaker(random).root();
}

class SchemaMaker {
  readonly #random: Prng;
  readonly #defs: Record<string, PlainSchema> = {};

  constructor(random: Prng) {
    this.#random = random;
  }

  root(): PlainSchema {
    if (this.#below(3) === 0) this.#defs["Thing"] = this.#object(2);
    // A recursive one always has a way to end.
    if (this.#below(4) === 0) {
      this.#defs["Tree"] = {
        type: "object",
        properties: { v: this.#scalar(), kids: { type: "array", items: { $ref: "#/$defs/Tree" } } },
        required: ["v"],
        additionalProperties: false,
      };
    }
    const schema = this.#below(4) === 0 ? this.#any(0) : this.#object(0);
    return Object.keys(this.#defs).length === 0 ? schema : { $defs: this.#defs, ...(schema as object) };
  }

  #below(count: number): number {
    return Math.floor(this.#random.uniform() * count);
  }

  #pick<T>(list: readonly T[], fallback: T): T {
    return list[this.#below(list.length)] ?? fallback;
  }

  #any(depth: number): PlainSchema {
    const kind = this.#below(depth > 3 ? 5 : 10);
    if (kind < 5) return this.#scalar();
    if (kind < 7) return this.#object(depth + 1);
    if (kind === 7) return this.#array(depth + 1);
    if (kind === 8) {
      // Kinds of different types: of two that overlap, "one of" would mean neither.
      const options = [
        this.#scalarOf("string"),
        this.#scalarOf("integer"),
        { type: "null" },
        this.#object(depth + 1),
      ];
      const from = this.#below(3);
      return { [this.#pick(["anyOf", "oneOf"], "anyOf")]: options.slice(from, from + 2) };
    }
    const names = Object.keys(this.#defs);
    if (names.length > 0) return { $ref: `#/$defs/${this.#pick(names, "Thing")}` };
    return { allOf: [this.#object(depth + 1), { type: "object" }] };
  }

  #scalar(): PlainSchema {
    return this.#scalarOf(
      this.#pick(["string", "string", "integer", "number", "boolean", "null", "enum", "const"], "string"),
    );
  }

  #scalarOf(type: string): PlainSchema {
    if (type === "string") return this.#text();
    if (type === "integer" || type === "number") return this.#number(type);
    if (type === "enum") return { enum: ["low", "high", "ümläut", 3, null].slice(this.#below(3)) };
    if (type === "const") return { const: this.#pick<string | number | boolean>(["fixed", 7, true], 7) };
    return { type };
  }

  #text(): PlainSchema {
    const kind = this.#below(6);
    if (kind === 0) return { type: "string", pattern: this.#pick(PATTERNS, "") };
    if (kind === 1) return { type: "string", format: this.#pick(FORMATS, "") };
    if (kind === 2) return { type: "string", minLength: this.#below(4), maxLength: 4 + this.#below(3000) };
    if (kind === 3) return { type: "string", pattern: "^[a-z_]*$", minLength: 1, maxLength: 8 };
    return { type: this.#below(5) === 0 ? ["string", "null"] : "string" };
  }

  #number(type: string): PlainSchema {
    const schema: Record<string, unknown> = { type };
    const low = this.#below(2000) - 1000;
    const high = low + 1 + this.#below(1500);
    const scale = type === "number" && this.#below(2) === 0 ? 8 : 1;
    if (this.#below(2) === 0) schema[this.#pick(["minimum", "exclusiveMinimum"], "minimum")] = low / scale;
    if (this.#below(2) === 0)
      schema[this.#pick(["maximum", "exclusiveMaximum"], "maximum")] = high / scale + 2;
    if (this.#below(5) === 0) schema["multipleOf"] = type === "integer" ? 1 + this.#below(12) : 0.25;
    return schema;
  }

  #array(depth: number): PlainSchema {
    if (this.#below(4) === 0) {
      const prefixItems = [this.#scalar(), this.#scalar(), this.#scalar()].slice(this.#below(2));
      return {
        type: "array",
        prefixItems,
        items: this.#below(2) === 0 ? false : this.#scalar(),
        minItems: this.#below(3),
      };
    }
    const schema: Record<string, unknown> = { type: "array", items: this.#any(depth) };
    if (this.#below(2) === 0) schema["minItems"] = this.#below(3);
    if (this.#below(2) === 0) schema["maxItems"] = 2 + this.#below(400);
    return schema;
  }

  #object(depth: number): PlainSchema {
    const names = NAMES.filter(() => this.#below(3) === 0);
    const properties = Object.fromEntries(names.map((name) => [name, this.#any(depth + 1)]));
    const schema: Record<string, unknown> = {
      type: "object",
      properties,
      required: names.filter(() => this.#below(2) === 0),
    };
    const kind = this.#below(6);
    if (kind < 3) schema["additionalProperties"] = kind === 0 ? this.#scalar() : kind === 1;
    if (kind === 3) schema["patternProperties"] = { "^p_": this.#scalar() };
    if (kind === 4 && names.length > 1) schema["minProperties"] = 1 + this.#below(2);
    if (kind === 5)
      Object.assign(schema, { additionalProperties: this.#scalar(), propertyNames: { pattern: "^[a-zé]" } });
    return schema;
  }
}
