/** One schema's keywords, read with their kinds; what is of another kind is a SchemaError that names it. */
import type { Json, JsonObject } from "../json/json.ts";
import { isJsonArray, isJsonNumber, isJsonObject } from "../json/kinds.ts";
import { type Decimal, readDecimal } from "./Decimal.ts";
import { SchemaError } from "./SchemaError.ts";

/** A schema and where it stands. */
export interface Part {
  readonly json: Json;
  readonly path: string;
}

/** The keywords of one schema; null is as good as absent, as some clients write it. */
export class Keywords {
  readonly path: string;
  readonly #json: JsonObject;

  constructor(json: JsonObject, path: string) {
    this.#json = json;
    this.path = path;
  }

  pathOf(keyword: string): string {
    return `${this.path}/${pointerName(keyword)}`;
  }

  raw(keyword: string): Json | undefined {
    return this.#json.get(keyword);
  }

  get(keyword: string): Json | undefined {
    return this.#json.get(keyword) ?? undefined;
  }

  part(keyword: string): Part | undefined {
    const json = this.get(keyword);
    return json === undefined || isJsonArray(json) ? undefined : { json, path: this.pathOf(keyword) };
  }

  list(keyword: string): Part[] | undefined {
    const json = this.get(keyword);
    if (json === undefined) return undefined;
    if (!isJsonArray(json)) throw new SchemaError(keyword, this.pathOf(keyword), "must be a list of schemas");
    return json.map((item, index) => ({ json: item, path: `${this.pathOf(keyword)}/${index}` }));
  }

  map(keyword: string): Map<string, Part> | undefined {
    const json = this.get(keyword);
    if (json === undefined) return undefined;
    if (!isJsonObject(json))
      throw new SchemaError(keyword, this.pathOf(keyword), "must be an object of schemas");
    return new Map(
      [...json].map(([name, item]) => [
        name,
        { json: item, path: `${this.pathOf(keyword)}/${pointerName(name)}` },
      ]),
    );
  }

  decimal(keyword: string): Decimal | undefined {
    const json = this.get(keyword);
    if (json === undefined) return undefined;
    const decimal = isJsonNumber(json) ? readDecimal(json.raw) : undefined;
    if (decimal === undefined) throw new SchemaError(keyword, this.pathOf(keyword), "must be a number");
    // A bound beyond what anybody writes is none.
    return decimal === null || decimal.whole.length > 30 ? undefined : decimal;
  }

  count(keyword: string): number | undefined {
    const json = this.get(keyword);
    if (json === undefined) return undefined;
    const count = isJsonNumber(json) ? Number(json.raw) : Number.NaN;
    if (!Number.isInteger(count) || count < 0) {
      throw new SchemaError(keyword, this.pathOf(keyword), "must be a whole number of at least 0");
    }
    return count;
  }
}

export function pointerName(name: string): string {
  return name.replace(/~/g, "~0").replace(/\//g, "~1");
}
