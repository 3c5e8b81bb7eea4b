/**
 * 500 turns over 50 talks: memory stays within the budget of kept states and a constant, and no sequence is leaked. Every
 * talk comes back again and again, in an order that no cache likes.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { pipedCommand } from "../support/Command.ts";
import { Prng } from "../support/tinyModels/Prng.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const TALKS = 50;
const TURNS = 500;
/** Behind this many turns the process has what it needs; what grows from there on is what is kept, or leaks. */
const SETTLED_TURNS = 100;
const BUDGET_MIB = 32;
/** Heaps that have not been collected: three JavaScript threads, each with some megabytes of garbage. */
const SLACK_MIB = 96;

const canRead = process.platform === "linux";
if (!canRead) console.warn("SKIPPED: the memory of a process is read from /proc");

test.skipIf(!canRead).each(["qwen3", "lfm2", "gemma3"] as const)(
  "%s",
  async (kind) => {
    const { path } = await tinyModel(kind);
    const flags = [
      "-m",
      path,
      "-t",
      "1",
      "-c",
      "2048",
      "--port",
      "0",
      "--log-format",
      "json",
      "--debug-integrity",
    ];
    await using server = await pipedCommand([...flags, "--state-ram", `${BUDGET_MIB}M`]);
    await server.until('"msg":"ready"');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(server.stdout)?.[0] ?? "";
    const residentMiB = (): number =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024;
    const random = new Prng(kind);
    const talks = Array.from({ length: TALKS }, (_, i): object[] => [
      { role: "system", content: "You are the assistant of a small railway. ".repeat(6) },
      { role: "user", content: `Talk ${i}: which train is the first?` },
    ]);
    let settled = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      const messages = talks[random.next() % TALKS] ?? [];
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ messages, temperature: 0, max_tokens: 8, ignore_eos: true }),
      });
      expect(answer.status).toBe(200);
      const { choices } = (await answer.json()) as { choices: { message: object }[] };
      if (messages.length > 16) messages.splice(2);
      else messages.push(choices[0]?.message ?? {}, { role: "user", content: `And train ${turn}?` });
      if (turn === SETTLED_TURNS) settled = residentMiB();
    }
    const grown = residentMiB() - settled;
    console.log(
      `${kind}: ${settled.toFixed(0)} MiB behind ${SETTLED_TURNS} turns, ${grown.toFixed(0)} more behind ${TURNS}`,
    );
    expect(grown).toBeLessThan(BUDGET_MIB + SLACK_MIB);
    // Nobody holds a lane any more, and the books balance: the flag has them checked whenever the engine is idle.
    const slots = (await (await fetch(`${url}/slots`)).json()) as { is_processing: boolean }[];
    expect(slots.some(({ is_processing }) => is_processing)).toBe(false);
    expect(server.stdout).not.toContain('"level":50');
    expect(await server.end("SIGTERM")).toBe(0);
  },
  1_800_000,
);
