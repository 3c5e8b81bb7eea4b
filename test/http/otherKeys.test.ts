/** What one key sent is shown to no other, wherever the server tells anything: bodies, headers, counts, errors, lines. */
import { expect, test } from "bun:test";
import { get, json, type Loose, postChat } from "../support/httpClient.ts";
import { ADD_TOOL, type Opened, onEachTarget, USER } from "./targets.ts";

const keyed = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const MINE = keyed("mine");
const OTHER = keyed("other");
/** In every text that the key `mine` sends, and in its name. */
const SECRET = "zebra-4711";
const SEED = 918_273_645;

/** One request of each protocol, with the secret wherever text can stand. */
const SENT: readonly (readonly [string, object])[] = [
  [
    "/v1/chat/completions",
    {
      messages: [{ role: "user", content: SECRET }],
      tools: [{ ...ADD_TOOL, function: { ...ADD_TOOL.function, name: SECRET, description: SECRET } }],
      stop: [SECRET],
      seed: SEED,
      user: SECRET,
      dry_multiplier: 1,
      dry_sequence_breakers: [SECRET],
      response_format: { type: "json_schema", json_schema: { name: SECRET, schema: { enum: [SECRET] } } },
      tool_choice: "none",
    },
  ],
  ["/completion", { prompt: SECRET, grammar: `root ::= "${SECRET}"`, seed: SEED, stop: [SECRET] }],
  ["/v1/messages", { model: SECRET, max_tokens: 9, messages: [{ role: "user", content: SECRET }] }],
  ["/v1/responses", { input: SECRET, instructions: SECRET, metadata: { a: SECRET } }],
];

/** All that can be asked, by a key that sent nothing. */
async function told({ target }: Opened, headers: Record<string, string>): Promise<string> {
  const { paths } = await json(await get(target, "/openapi.json", { headers }));
  const answers: Response[] = [];
  for (const [path, methods] of Object.entries<Loose>(paths)) {
    const at = path.replaceAll(/\{\w+\}/g, "resp_1");
    if ("get" in methods) answers.push(await get(target, at, { headers }));
    if ("delete" in methods) answers.push(await get(target, at, { method: "DELETE", headers }));
    if ("post" in methods) {
      for (const body of ["", "{}", "[]"]) answers.push(await postChat(target, body, { path: at, headers }));
    }
  }
  answers.push(await get(target, "/slots?fail_on_no_slot=1", { headers }));
  const texts = await Promise.all(
    answers.map(async (answer) => `${JSON.stringify([...answer.headers])}\n${await answer.text()}`),
  );
  return texts.join("\n");
}

onEachTarget("another key", (open) => {
  test.each(SENT)(
    "is shown nothing of a request to %s that runs, nor of one that ran",
    async (path, body) => {
      await using opened = open({
        apiKeys: ["mine", "other"],
        ready: { lanes: 2 },
        endpoints: { slots: true, metrics: true },
      });
      const { engine } = opened.server;
      engine.script = () => ({ text: "abc", hold: "decode" });
      const started = engine.nextRun();
      const answer = postChat(opened.target, body, { path, headers: MINE });
      const run = await started;
      await run.held;
      engine.script = () => ({ text: "" });
      const running = await told(opened, OTHER);
      run.release();
      expect((await answer).status).toBe(200);
      const ran = await told(opened, OTHER);
      for (const text of [running, ran]) {
        expect(text).not.toContain(SECRET);
        expect(text).not.toContain(String(SEED));
        expect(text).not.toContain("name-of-mine");
      }
      // And the key itself sees its own.
      expect(await (await get(opened.target, "/slots", { headers: MINE })).text()).toContain("name-of-mine");
      expect(JSON.stringify([opened.server.lines, opened.server.notes, opened.server.errors])).not.toContain(
        SECRET,
      );
    },
  );

  test("reads counts that are the same whatever the others do", async () => {
    const counts = async (opened: Opened): Promise<readonly string[]> => [
      // Its own times differ from server to server, whoever else asks.
      (await (await get(opened.target, "/metrics", { headers: OTHER })).text()).replace(
        /^.*_seconds.*$/gm,
        "",
      ),
      JSON.stringify((await json(await get(opened.target, "/slots", { headers: OTHER })))[0]),
    ];
    await using quiet = open({ apiKeys: ["mine", "other"], endpoints: { slots: true, metrics: true } });
    await using busy = open({ apiKeys: ["mine", "other"], endpoints: { slots: true, metrics: true } });
    for (const opened of [quiet, busy]) await postChat(opened.target, { messages: USER }, { headers: OTHER });
    const before = await counts(quiet);
    for (let i = 0; i < 3; i += 1) await postChat(busy.target, { messages: USER }, { headers: MINE });
    const [metrics, slot] = await counts(busy);
    expect(metrics).toBe(before[0] ?? "");
    // The lane shows the last task, which was not this key's.
    expect(JSON.parse(slot ?? "")).toEqual({ id: 0, n_ctx: 4096, speculative: false, is_processing: false });
    await postChat(busy.target, { messages: USER }, { headers: OTHER });
    expect(JSON.parse((await counts(busy))[1] ?? "").id_task).toBe(2);
  });

  test("that finds the queue full is not told how many are whose", async () => {
    await using opened = open({ apiKeys: ["mine", "other"], limits: { queueMax: 2 } });
    const { engine } = opened.server;
    engine.script = () => ({ text: "abc", hold: "decode" });
    const held: Awaited<ReturnType<typeof engine.nextRun>>[] = [];
    const answers: Promise<Response>[] = [];
    for (let i = 0; i < 2; i += 1) {
      const started = engine.nextRun();
      answers.push(postChat(opened.target, { messages: USER }, { headers: MINE }));
      held.push(await started);
    }
    const full = async (n: number): Promise<string> =>
      (await json(await postChat(opened.target, { messages: USER, n }, { headers: OTHER }))).error.message;
    expect(await full(1)).toBe(await full(2));
    for (const run of held) run.release();
    await Promise.all(answers);
  });
});
