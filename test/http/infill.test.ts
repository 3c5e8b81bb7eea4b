/** `/infill`: llama-server's format, what fits, and what is refused. */
import { expect, test } from "bun:test";
import type { RawWarmJob } from "../../src/warm/WarmJob.ts";
import { type HttpTarget, json, postChat } from "../support/httpClient.ts";
import { onEachTarget } from "./targets.ts";

const post = (target: HttpTarget, body: unknown): Promise<Response> =>
  postChat(target, body, { path: "/infill" });
const bytes = (text: string): number[] => [...new TextEncoder().encode(text)];
const TEXT = { input_prefix: "ab", input_suffix: "yz" };
/** As `FAKE_CARD` has them. */
const [PRE, SUF, MID, REP, SEP] = [1, 2, 3, 4, 5];

onEachTarget("/infill", (open) => {
  const asked = async (body: object, options = {}): Promise<number[]> => {
    await using opened = open(options);
    expect((await post(opened.target, body)).status).toBe(200);
    return [...(opened.server.engine.runs[0]?.spec.plan.tokens ?? [])];
  };

  test("files first, then prefix, prompt and suffix", async () => {
    const input_extra = [{ filename: "a.ts", text: "one" }, { text: "two" }];
    expect(await asked({ ...TEXT, prompt: "c", input_extra })).toEqual([
      REP,
      ...bytes("myproject\n"),
      SEP,
      ...bytes("a.ts\none"),
      SEP,
      ...bytes("tmp\ntwo"),
      SEP,
      ...bytes("filename\n"),
      PRE,
      ...bytes("abc"),
      SUF,
      ...bytes("yz"),
      MID,
    ]);
  });

  test("a model without tokens for files, and with BOS", async () => {
    const fim = { prefix: PRE, suffix: SUF, middle: MID, repo: -1, separator: -1 };
    expect(await asked({ ...TEXT, input_extra: [{ text: "one" }] }, { card: { fim, bos: 9 } })).toEqual([
      ...bytes("\n\n--- snippet ---\n\none"),
      9,
      PRE,
      ...bytes("ab"),
      SUF,
      ...bytes("yz"),
      MID,
    ]);
  });

  test("files that do not fit are left out whole, the first ones first", async () => {
    const input_extra = ["a", "b", "c"].map((name) => ({ filename: name, text: name.repeat(30) }));
    const options = { ready: { ctxTokens: 100 } };
    // The last two come to 94 tokens.
    for (const [n_predict, files] of [
      [5, ["b", "c"]],
      [6, ["c"]],
    ] as const) {
      const text = String.fromCharCode(...(await asked({ ...TEXT, input_extra, n_predict }, options)));
      const there = ["a", "b", "c"].filter((name) => text.includes(name.repeat(30)));
      expect(there).toEqual([...files]);
    }
    await using opened = open(options);
    const long = await post(opened.target, { ...TEXT, input_prefix: "x".repeat(100), input_extra });
    expect([long.status, (await json(long)).error]).toMatchObject([
      400,
      { type: "exceed_context_size_error", param: "input_prefix" },
    ]);
  });

  test("the reply is expected at the end of what stood before it", async () => {
    await using opened = open();
    const job = new Promise<RawWarmJob>((resolve) => {
      opened.server.onRawJob = resolve;
    });
    const body = await json(await post(opened.target, TEXT));
    expect(body.content).toBe("hello");
    const { parts, grows } = (await job).grown;
    expect(parts.at(-1)).toEqual({ text: "abhello", special: false });
    expect(parts).toHaveLength(grows + 1);
  });

  test("a model that cannot", async () => {
    await using opened = open({
      card: { fim: { prefix: 1, suffix: -1, middle: -1, repo: -1, separator: -1 } },
    });
    const response = await post(opened.target, TEXT);
    expect([response.status, (await json(response)).error]).toEqual([
      501,
      {
        code: 501,
        message: "Infill is not supported by this model: suffix token is missing. middle token is missing.",
        type: "not_supported_error",
        param: null,
      },
    ]);
  });

  test.each<[object, string]>([
    [{ input_suffix: "" }, "input_prefix"],
    [{ input_prefix: "" }, "input_suffix"],
    [{ ...TEXT, input_prefix: 1 }, "input_prefix"],
    [{ ...TEXT, prompt: ["a"] }, "prompt"],
    [{ ...TEXT, input_extra: "a" }, "input_extra"],
    [{ ...TEXT, input_extra: ["a"] }, "input_extra[0]"],
    [{ ...TEXT, input_extra: [{ filename: "a" }] }, "input_extra[0].text"],
    [{ ...TEXT, input_extra: [{ text: "a", filename: 1 }] }, "input_extra[0].filename"],
    [{ ...TEXT, input_extra: Array(257).fill({ text: "a" }) }, "input_extra"],
    [{ ...TEXT, n_predict: "all" }, "n_predict"],
  ])("%p is a 400 that names its field", async (body, param) => {
    await using opened = open();
    const response = await post(opened.target, body);
    expect([response.status, (await json(response)).error.param]).toEqual([400, param]);
  });
});
