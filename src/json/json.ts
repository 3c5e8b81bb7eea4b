/**
 * JSON as it was written: key order, integer-like keys and the digits of numbers survive from the request's
 * raw bytes to the prompt. Values are plain data, so that they cross to a Worker by structured clone.
 */

/** A number by its own spelling, e.g. `{ raw: "2.0" }`. */
export interface JsonNumber {
  readonly raw: string;
}

export type JsonObject = ReadonlyMap<string, Json>;

export type Json = null | boolean | string | JsonNumber | readonly Json[] | JsonObject;
