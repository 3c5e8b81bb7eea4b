/** Calls whose arguments are tags by their own names, nested for objects and lists, each behind one mark (MiniMax-M3). */
import type { Json, JsonObject } from "../../json/json.ts";
import { isJsonObject } from "../../json/kinds.ts";
import { JSON_DEPTH_MAX } from "../../json/parseJson.ts";
import type { CallFormat } from "../CallFormat.ts";
import { JsonTextWriter } from "./JsonTextWriter.ts";
import { cutCall, isName } from "./jsonCalls.ts";
import type { CallRead, ReplySink } from "./ReplySink.ts";
import type { ReplySource, Step } from "./ReplySource.ts";
import type { CallReader } from "./readText.ts";
import { argumentSchema, type JsonKind, schemaKinds } from "./schemaKinds.ts";

const NAME_CHARS_MAX = 256;

export function treeCalls(format: CallFormat): CallReader | null {
  if (format.arguments.kind !== "tree") return null;
  const { mark } = format.arguments;
  const section = `${mark}<tool_call>`;
  const invoke = `${mark}<invoke name="`;
  return {
    marks: [section, invoke],
    strays: [],
    *read(source, sink, found) {
      if (found === section) {
        yield* source.space();
        if (!(yield* source.match(invoke))) return "none";
      }
      for (;;) {
        const read = yield* treeCall(source, sink, mark);
        if (read === "none") return "none";
        if (read === "cut") return yield* cutCall(source, sink, `${mark}</tool_call>`);
        yield* source.space();
        if (!(yield* source.starts(invoke))) break;
        source.record();
        source.take(invoke.length);
      }
      yield* source.closing([`${mark}</tool_call>`]);
      return "call";
    },
  };
}

/** From behind `<invoke name="`. */
function* treeCall(source: ReplySource, sink: ReplySink, mark: string): Step<CallRead> {
  const parts: string[] = [];
  const end = yield* source.until(['">'], (text) => parts.push(text), NAME_CHARS_MAX);
  const name = parts.join("");
  if (end === null || !isName(name)) return "none";
  source.take(end.length);
  source.forget();
  sink.open(name);
  sink.arguments("{");
  const schema = sink.schema(name) ?? new Map<string, Json>();
  for (let first = true; ; first = false) {
    yield* source.space();
    if (yield* source.match(`${mark}</invoke>`)) break;
    const key = yield* openTag(source, mark);
    if (key === null) return "cut";
    sink.arguments(`${first ? "" : ", "}${JSON.stringify(key)}: `);
    const own = argumentSchema(schema, key);
    const kinds = schemaKinds(own, schema);
    if (kinds.size === 1 && kinds.has("string")) {
      const writer = new JsonTextWriter((json) => sink.arguments(json));
      const close = `${mark}</${key}>`;
      if ((yield* source.until([close], (text) => writer.push(text))) === null) return "cut";
      source.take(close.length);
      writer.end();
      continue;
    }
    const json = yield* treeValue(source, mark, key, own, schema, 0);
    if (json === null) return "cut";
    sink.arguments(json);
  }
  sink.arguments("}");
  return "call";
}

function* openTag(source: ReplySource, mark: string): Step<string | null> {
  if ((yield* source.starts(`${mark}</`)) || !(yield* source.match(`${mark}<`))) return null;
  const parts: string[] = [];
  const end = yield* source.until([">"], (text) => parts.push(text), NAME_CHARS_MAX);
  if (end === null) return null;
  source.take(1);
  return parts.join("");
}

/** A value up to and with its closing tag, as JSON text. */
function* treeValue(
  source: ReplySource,
  mark: string,
  key: string,
  schema: Json | undefined,
  root: JsonObject,
  depth: number,
): Step<string | null> {
  if (depth > JSON_DEPTH_MAX) return null;
  const close = `${mark}</${key}>`;
  const parts: string[] = [];
  if ((yield* source.until([`${mark}<`], (text) => parts.push(text))) === null) return null;
  const kinds = schemaKinds(schema, root);
  if (yield* source.match(close)) return leaf(parts.join(""), kinds);
  const children: [string, string][] = [];
  while (!(yield* source.match(close))) {
    const name = yield* openTag(source, mark);
    if (name === null) return null;
    const own = isJsonObject(schema)
      ? name === "item" && schema.has("items")
        ? schema.get("items")
        : argumentSchema(schema, name)
      : undefined;
    const json = yield* treeValue(source, mark, name, own, root, depth + 1);
    if (json === null) return null;
    children.push([name, json]);
    yield* source.space();
  }
  const isList = kinds.has("array") && children.every(([name]) => name === "item");
  if (isList) return `[${children.map(([, json]) => json).join(", ")}]`;
  return `{${children.map(([name, json]) => `${JSON.stringify(name)}: ${json}`).join(", ")}}`;
}

function leaf(text: string, kinds: ReadonlySet<JsonKind>): string {
  const bare = text.trim();
  if (bare === "") {
    if (kinds.has("string")) return JSON.stringify(text);
    return kinds.has("array") ? "[]" : kinds.has("object") ? "{}" : JSON.stringify(text);
  }
  if (kinds.has("boolean") && (bare === "true" || bare === "false")) return bare;
  if (kinds.has("null") && bare === "null") return bare;
  const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/.test(bare);
  return kinds.has("number") && number ? bare : JSON.stringify(text);
}
