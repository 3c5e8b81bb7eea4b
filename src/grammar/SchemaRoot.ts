/** The schema that references look into, and what had to be left out of the grammar. */

import type { Json } from "../json/json.ts";
import { isJsonArray, isJsonObject } from "../json/kinds.ts";
import { unescaped } from "../json/unescaped.ts";
import { SchemaError } from "./SchemaError.ts";

/** A keyword that the grammar does not hold, beside all others that it does. */
export interface Relaxation {
  readonly keyword: string;
  readonly path: string;
}

export class SchemaRoot {
  readonly #json: Json;
  readonly #relaxed = new Map<string, Relaxation>();
  readonly #refused: SchemaError[] = [];
  #anchors: Map<string, { readonly json: Json; readonly path: string }> | null = null;

  constructor(json: Json) {
    this.#json = json;
  }

  get relaxed(): readonly Relaxation[] {
    return [...this.#relaxed.values()];
  }

  relax(keyword: string, path: string): void {
    this.#relaxed.set(path, { keyword, path });
  }

  /** What a lenient compiler let stand for any value. */
  get refused(): readonly SchemaError[] {
    return this.#refused;
  }

  refuse(error: SchemaError): void {
    this.#refused.push(error);
  }

  /** `#`, a JSON pointer (`#/$defs/a`), an anchor (`#a`) or an `$id` within the schema. */
  resolve(ref: Json, at: string): { readonly json: Json; readonly path: string } {
    if (typeof ref !== "string") throw new SchemaError("$ref", at, "must be a string");
    if (ref === "#" || ref === "") return { json: this.#json, path: "" };
    const found = ref.startsWith("#/") ? this.#pointer(ref.slice(1)) : this.#named(ref);
    if (found === undefined) throw new SchemaError("$ref", at, `leads nowhere within the schema: ${ref}`);
    return found;
  }

  #pointer(pointer: string): { readonly json: Json; readonly path: string } | undefined {
    let json: Json | undefined = this.#json;
    for (const step of pointer.slice(1).split("/")) {
      const name = unescaped(step).replace(/~1/g, "/").replace(/~0/g, "~");
      if (json === undefined) return undefined;
      if (isJsonArray(json)) json = json[Number(name)];
      else json = isJsonObject(json) ? json.get(name) : undefined;
    }
    return json === undefined ? undefined : { json, path: pointer };
  }

  #named(ref: string): { readonly json: Json; readonly path: string } | undefined {
    if (this.#anchors === null) {
      this.#anchors = new Map();
      this.#collect(this.#json, "");
    }
    return this.#anchors.get(ref);
  }

  #collect(json: Json, path: string): void {
    if (isJsonArray(json))
      for (const [index, item] of json.entries()) this.#collect(item, `${path}/${index}`);
    if (!isJsonObject(json)) return;
    for (const [keyword, prefix] of [
      ["$anchor", "#"],
      ["$id", ""],
      ["id", ""],
    ] as const) {
      const name = json.get(keyword);
      if (typeof name === "string") this.#anchors?.set(prefix + name, { json, path });
    }
    for (const [key, item] of json) this.#collect(item, `${path}/${key}`);
  }
}
