/**
 * What kept states are for, in three measurements, each on a dense and a hybrid model of random weights:
 * `restart`: the first token of the next turn when the server was started again in between, from disk;
 * `agents`: what three agents over one system prompt prefill when their turns follow each other;
 * `end`: how long a stream stays open behind its last token while a long state is to be saved.
 * Times are ratios within one run, or short ones; exit 1 where one is worse than is promised.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchModel } from "../model/benchModel.ts";
import { ServerProcess } from "../ServerProcess.ts";
import { prefilled, Talk, text } from "./Talk.ts";

interface Row {
  readonly bench: string;
  readonly model: string;
  readonly says: string;
  readonly holds: boolean;
}

interface Setting {
  readonly model: string;
  readonly tokens: number;
  readonly flags: readonly string[];
}

const PROMISES = { restartToWarm: 2, coldToRestart: 10, endMs: 5 } as const;
const TOKENS = { restart: 8_000, agents: 4_000, end: 14_000 } as const;
/** Between two messages' cuts, and to the next cut of a tile. */
const SLACK_TOKENS = 128;

/** `argv[0]` names the measurement. Gives the exit code. */
export async function stateBench(argv: readonly string[]): Promise<number> {
  const split = argv.indexOf("--");
  const own = split < 0 ? argv : argv.slice(0, split);
  const flags = split < 0 ? [] : argv.slice(split + 1);
  const option = (name: string): string | undefined =>
    own.includes(name) ? own[own.indexOf(name) + 1] : undefined;
  const bench = own[0] === "agents" || own[0] === "end" ? own[0] : "restart";
  const tokens = Number(option("--tokens") ?? TOKENS[bench]);
  const given = option("--model");
  const models = given === undefined ? [benchModel("qwen3", "120M"), benchModel("qwen35", "120M")] : [given];
  const rows: Row[] = [];
  for (const model of models) rows.push(await BENCHES[bench]({ model, tokens, flags }));
  if (own.includes("--json")) console.log(JSON.stringify(rows));
  else
    for (const { model, says, holds } of rows)
      console.log(`${holds ? "ok  " : "FAIL"} ${model}\n     ${says}`);
  return rows.every(({ holds }) => holds) ? 0 : 1;
}

const BENCHES = { restart, agents, end } as const;

async function restart({ model, tokens, flags }: Setting): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "warmturn-bench-"));
  const start = (): Promise<ServerProcess> =>
    ServerProcess.start({
      flags: [
        "-m",
        model,
        "-c",
        String(tokens + 4_096),
        "--state-disk",
        "4G",
        "--state-dir",
        folder,
        ...flags,
      ],
    });
  try {
    const talk = new Talk(text(1, tokens / 2), tokens / 2, 2);
    let coldMs: number;
    let warmMs: number;
    {
      await using server = await start();
      coldMs = (await talk.turn(server.url)).firstTokenMs;
      await server.warmIdle();
      warmMs = (await talk.turn(server.url)).firstTokenMs;
      await server.warmIdle();
    }
    await using server = await start();
    const after = await talk.turn(server.url);
    await server.warmIdle();
    const again = await talk.turn(server.url);
    warmMs = (warmMs + again.firstTokenMs) / 2;
    const toWarm = after.firstTokenMs / warmMs;
    const toCold = coldMs / after.firstTokenMs;
    const says =
      `first token: cold ${ms(coldMs)}, warm ${ms(warmMs)}, after a restart ${ms(after.firstTokenMs)} ` +
      `(${toWarm.toFixed(2)} × warm, at most ${PROMISES.restartToWarm}; ${toCold.toFixed(1)} × faster than cold, ` +
      `at least ${PROMISES.coldToRestart}); ${prefilled(after)} of ${after.promptTokens} tokens prefilled`;
    const holds = toWarm <= PROMISES.restartToWarm && toCold >= PROMISES.coldToRestart;
    return { bench: "restart", model, says, holds };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function agents({ model, tokens, flags }: Setting): Promise<Row> {
  await using server = await ServerProcess.start({
    flags: ["-m", model, "-c", String(tokens + 4_096), ...flags],
  });
  const talks = [1, 2, 3].map((salt) => new Talk(text(9, tokens), 300, salt));
  const firsts: number[] = [];
  const nexts: number[] = [];
  for (let round = 0; round < 3; round++) {
    for (const talk of talks) {
      const result = await talk.turn(server.url);
      (round === 0 ? firsts : nexts).push(prefilled(result));
      await server.warmIdle();
    }
  }
  const [, ...others] = firsts;
  const news = (talks[0]?.turnChars ?? 0) + SLACK_TOKENS;
  const holds = nexts.every((count) => count <= news) && others.every((count) => count <= 300 + SLACK_TOKENS);
  const says =
    `${tokens} tokens of system prompt: first turns prefill ${firsts.join(", ")}; ` +
    `next turns ${nexts.join(", ")} (new with a chunk: ${news})`;
  return { bench: "agents", model, says, holds };
}

async function end({ model, tokens, flags }: Setting): Promise<Row> {
  await using server = await ServerProcess.start({
    flags: ["-m", model, "-c", String(tokens + 4_096), ...flags],
  });
  const talk = new Talk(text(1, tokens / 2), tokens / 2, 2);
  const times: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    times.push((await talk.turn(server.url)).endMs);
    await server.warmIdle();
  }
  const most = Math.max(...times);
  const says = `last token to [DONE]: ${times.map(ms).join(", ")} (at most ${PROMISES.endMs} ms)`;
  return { bench: "end", model, says, holds: most <= PROMISES.endMs };
}

function ms(value: number): string {
  return `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}
