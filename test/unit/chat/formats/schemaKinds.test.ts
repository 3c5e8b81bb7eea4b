import { expect, test } from "bun:test";
import { schemaKinds } from "../../../../src/chat/formats/schemaKinds.ts";
import { isJsonObject } from "../../../../src/json/kinds.ts";
import { fromPlain } from "../../../../src/json/plainJson.ts";

function kinds(schema: object): string[] {
  const root = fromPlain(schema);
  if (!isJsonObject(root)) throw new Error("a schema is an object");
  return [...schemaKinds(root, root)].sort();
}

test("a reference with escapes, and with what only looks like one", () => {
  const defs = { "a b": { type: "string" }, "%ZZ": { type: "number" }, "50%": { type: "null" } };
  expect(kinds({ $ref: "#/$defs/a%20b", $defs: defs })).toEqual(["string"]);
  expect(kinds({ $ref: "#/$defs/%ZZ", $defs: defs })).toEqual(["number"]);
  expect(kinds({ $ref: "#/$defs/50%", $defs: defs })).toEqual(["null"]);
});
