/** What `/api/chat` and `/api/generate` say beside what the model is told: `options`, `format`, `think`, `keep_alive`. */
import { invalid, kindOf, objectAt } from "../../chat/fields.ts";
import type { TextSchema } from "../../chat/Message.ts";
import type { Json } from "../../json/json.ts";
import { isJsonObject } from "../../json/kinds.ts";
import { parseJson } from "../../json/parseJson.ts";
import type { Sampling } from "../../run/RunSpec.ts";
import { stopStrings } from "../http/stopStrings.ts";
import { RequestFields } from "../shared/RequestFields.ts";
import { ANY_OBJECT } from "../shared/responseFormat.ts";
import { readSampling, type SamplingRules } from "../shared/sampling.ts";

export interface OllamaSettings {
  readonly model: string | null;
  readonly stream: boolean;
  readonly sampling: Sampling;
  readonly stop: readonly string[];
  /** Infinity where the request names no limit. */
  readonly maxTokens: number;
  readonly textSchema?: TextSchema;
  readonly kwargs: ReadonlyMap<string, Json>;
  /** One sentence for each thing that was asked for and is not served. */
  readonly ignored: readonly string[];
}

/** Options that say how Ollama runs a model, which a server of one model was told when it started. */
const OF_THE_RUNNER = ["num_ctx", "num_batch", "num_gpu", "main_gpu", "num_thread", "num_keep"];

export function readSettings(fields: RequestFields, rules: SamplingRules): OllamaSettings {
  const options = new RequestFields(objectAt(fields.get("options") ?? new Map(), "options"), "options.");
  const set = OF_THE_RUNNER.filter((name) => options.get(name) !== undefined);
  const textSchema = readFormat(fields.get("format"));
  const sampling = readSampling(options, rules);
  if (sampling.grammar !== undefined && textSchema !== undefined) {
    throw invalid("options.grammar", "cannot be combined with a format.");
  }
  // How long a model stays loaded: always.
  fields.get("keep_alive");
  return {
    model: fields.text("model") ?? null,
    // Unlike in all other protocols.
    stream: fields.boolean("stream", true),
    sampling,
    stop: stopStrings(options.get("stop"), "options.stop", rules.limits),
    maxTokens: readMaxTokens(options),
    ...(textSchema === undefined ? {} : { textSchema }),
    kwargs: readThinking(fields.get("think")),
    ignored: set.map((name) => `options.${name}: is as the server was started.`),
  };
}

/** -1 is no limit, and so is -2, which fills the context. */
function readMaxTokens(options: RequestFields): number {
  const tokens = options.number("num_predict", -1, { whole: true, min: -2 });
  return tokens < 0 ? Number.POSITIVE_INFINITY : tokens;
}

/** "json", or a schema; as a text, as a few clients send it, too. */
function readFormat(value: Json | undefined): TextSchema | undefined {
  if (value === undefined || value === "") return undefined;
  if (value === "json") return { schema: ANY_OBJECT, strict: false, field: "format" };
  const schema = typeof value === "string" ? parsedSchema(value) : value;
  if (isJsonObject(schema)) return { schema, strict: false, field: "format" };
  throw invalid("format", `must be "json" or a JSON Schema, not ${kindOf(value)}.`);
}

function parsedSchema(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Thinking is on where nothing is said, as in the other protocols; a word is how much of it. */
function readThinking(value: Json | undefined): ReadonlyMap<string, Json> {
  if (value === undefined || typeof value === "boolean") {
    return new Map([["enable_thinking", value ?? true]]);
  }
  if (typeof value !== "string") {
    throw invalid("think", `must be true, false, "low", "medium" or "high", not ${kindOf(value)}.`);
  }
  return new Map<string, Json>([
    ["reasoning_effort", value],
    ["enable_thinking", value !== "none"],
  ]);
}
