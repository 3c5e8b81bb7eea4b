/** Many inputs are tokenised in parts: others have the thread in between, and a client that leaves ends it. */
import { expect, test } from "bun:test";
import { allTokens } from "../../../../src/protocol/embeddings/evaluated.ts";

const LONG = new Int32Array(8_192);
const INPUTS = Array.from({ length: 12 }, (_, index) => index);

test("others have the thread every 16,384 tokens", async () => {
  const log: (number | string)[] = [];
  const other = (): void => {
    if (log.length < 100) log.push("other");
    if (!ended) setImmediate(other);
  };
  let ended = false;
  setImmediate(other);
  const take = (input: number): Int32Array => {
    log.push(input);
    return LONG;
  };
  const all = await allTokens(INPUTS, take, new AbortController().signal);
  ended = true;
  expect(all).toEqual(INPUTS.map(() => LONG));
  expect(log.filter((one) => one !== "other")).toEqual(INPUTS);
  expect(log.indexOf("other")).toBeWithin(2, 5);
  expect(log.filter((one) => one === "other").length).toBeGreaterThan(4);
});

test("few tokens take no turn", async () => {
  const log: string[] = [];
  const all = allTokens(INPUTS, () => new Int32Array(8), new AbortController().signal).then(() =>
    log.push("all"),
  );
  setImmediate(() => log.push("other"));
  await all;
  expect(log).toEqual(["all"]);
});

test("a client that has left ends it at the next turn", async () => {
  const leave = new AbortController();
  const seen: number[] = [];
  const take = (input: number): Int32Array => {
    seen.push(input);
    if (input === 4) leave.abort(new Error("left"));
    return LONG;
  };
  const all = allTokens(INPUTS, take, leave.signal);
  expect(await all.catch((error: Error) => error.message)).toBe("left");
  expect(seen.length).toBeWithin(5, 7);
});
