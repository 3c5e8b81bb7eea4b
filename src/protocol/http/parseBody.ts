/** Raw body text to lossless JSON; what is no JSON is a 400 that says where. */
import { AppError } from "../../base/AppError.ts";
import type { Json } from "../../json/json.ts";
import { JsonSyntaxError, parseJson } from "../../json/parseJson.ts";

export function parseBody(raw: string): Json {
  if (raw.trim() === "") throw new AppError("invalid-request", "The body is empty; send a JSON object.");
  try {
    return parseJson(raw);
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      throw new AppError("invalid-request", `The body is not valid JSON: ${error.message}.`);
    }
    throw error;
  }
}
