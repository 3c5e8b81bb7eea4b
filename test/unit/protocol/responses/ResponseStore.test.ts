import { expect, test } from "bun:test";
import { ResponseStore, type StoredResponse } from "../../../../src/protocol/responses/ResponseStore.ts";

const stored = (text: string): StoredResponse => ({ body: text, input: "", output: "", previous: null });
const items = (...ids: string[]) => new Map(ids.map((id) => [id, `"${id}"`]));

test("the least recently used responses go first, by number and by size", () => {
  const store = new ResponseStore({ storedResponsesMax: 3, storedCharsMax: 100 });
  for (const id of ["a", "b", "c"]) store.save("", id, stored(id), items());
  expect(store.response("", "a")).toBeDefined();
  store.save("", "d", stored("d"), items());
  expect(["a", "b", "c", "d"].filter((id) => store.response("", id) !== undefined)).toEqual(["a", "c", "d"]);
  store.save("", "e", stored("x".repeat(99)), items());
  expect(["a", "c", "d", "e"].filter((id) => store.response("", id) !== undefined)).toEqual(["d", "e"]);
  store.save("", "f", stored("x".repeat(101)), items());
  expect(["d", "e", "f"].filter((id) => store.response("", id) !== undefined)).toEqual([]);
});

test("items outlive a response that was too long to keep, and go with one that is deleted", () => {
  const store = new ResponseStore({ storedResponsesMax: 3, storedCharsMax: 100 });
  store.save("", "long", stored("x".repeat(101)), items("i"));
  expect([store.response("", "long"), store.item("", "i")]).toEqual([undefined, '"i"']);
  store.save("", "a", stored("a"), items("j", "k"));
  expect(store.delete("", "a")).toBe(true);
  expect([store.item("", "j"), store.item("", "k"), store.item("", "i")]).toEqual([
    undefined,
    undefined,
    '"i"',
  ]);
  expect(store.delete("", "a")).toBe(false);
});

test("a key's responses and items are nobody else's", () => {
  const store = new ResponseStore({ storedResponsesMax: 1, storedCharsMax: 100 });
  store.save("one", "a", stored("a"), items("i"));
  store.save("two", "b", stored("b"), items("j"));
  expect([store.response("two", "a"), store.item("two", "i"), store.delete("two", "a")]).toEqual([
    undefined,
    undefined,
    false,
  ]);
  expect([store.response("one", "a")?.body, store.item("one", "i")]).toEqual(["a", '"i"']);
});
