/** The start's texts: functions of facts, checked whole, narrow, without colour, and by running what is to be pasted. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type Look, lookOf } from "../../../src/cli/Look.ts";
import { progressLine } from "../../../src/cli/progressLine.ts";
import { StatusLine } from "../../../src/cli/StatusLine.ts";
import { reachableUrl, type StartFacts, startScreen } from "../../../src/cli/startScreen.ts";
import { curlLines, sdkLines } from "../../../src/cli/trySnippets.ts";
import { programOf } from "../../../src/config/program.ts";
import { factsSentence } from "../../../src/engine/open/factsOf.ts";
import { FAKE_READY } from "../../support/FakeEngine.ts";
import { FAKE_MODEL, fakeServer } from "../../support/FakeServer.ts";
import { listening } from "../../support/httpClient.ts";
import { screenText } from "../../support/screenText.ts";

const PLAIN: Look = { columns: 80, colour: false, isTerminal: true, moves: true };
const ROOT = join(import.meta.dir, "..", "..", "..");

const FACTS: StartFacts = {
  version: "1.2.3",
  url: "http://127.0.0.1:8080",
  modelName: "Qwen3-8B",
  ready: { ...FAKE_READY, ctxTokens: 40_960, lanes: 2 },
  warm: true,
  needsKey: false,
  loadMs: 3456,
  command: "warmturn",
};

describe("the screen of an encoder", () => {
  test.each([
    [{ ranking: null }, "/v1/embeddings"],
    [{ embeddings: null }, "/v1/rerank"],
  ])("tells what it serves, and nothing that it cannot do (%j)", (more, path) => {
    const ready = { ...FAKE_READY, ...more, lanes: 0, spares: 0, ctxTokens: 512 };
    const screen = startScreen({ ...FACTS, ready }, PLAIN);
    expect(screen).toBe(`\
warmturn 1.2.3 is ready after 3.5 s

  address  http://127.0.0.1:8080
  model    Qwen3-8B: fake, 8.2 billion, 4.7 GiB, Q4_K - Medium
  memory   an encoder: it writes no text and remembers nothing; on
           libggml-cpu-haswell.so
  serves   ${path}, inputs of up to 512 tokens (--ubatch-size)

`);
    expect(factsSentence(ready)).toContain(
      `that ${path === "/v1/rerank" ? "ranks" : "embeds"} inputs of up to 512 tokens`,
    );
  });
});

describe("the screen", () => {
  test("whole", () => {
    expect(startScreen(FACTS, PLAIN)).toBe(`\
warmturn 1.2.3 is ready after 3.5 s

  address  http://127.0.0.1:8080
  model    Qwen3-8B: fake, 8.2 billion, 4.7 GiB, Q4_K - Medium
  memory   dense: goes back to any cut of a prompt; on libggml-cpu-haswell.so
  context  40,960 tokens a conversation, 2 replies at a time
  kept     122,880 tokens in 3 sequences, and in 4.0 GiB of RAM 29,100 tokens
           of conversation

curl http://127.0.0.1:8080/v1/chat/completions \\
  -H 'content-type: application/json' \\
  -d '{"messages": [{"role": "user", "content": "Hello"}]}'

import OpenAI from "openai";
const client = new OpenAI({
  baseURL: "http://127.0.0.1:8080/v1",
  apiKey: "none",
});
const reply = await client.chat.completions.create({
  model: "Qwen3-8B",
  messages: [{ role: "user", content: "Hello" }],
});
console.log(reply.choices[0].message.content);

warmturn chat --url http://127.0.0.1:8080

`);
  });

  test("what a memory kind cannot do, warm off and keys are said", () => {
    const facts = { ...FAKE_READY.facts, tokenBytes: 12_288, snapshotBytes: 50 * 2 ** 20 };
    const hybrid = { ...FAKE_READY, memory: "hybrid" as const, facts };
    const text = startScreen({ ...FACTS, ready: hybrid, warm: false, needsKey: true }, PLAIN);
    expect(text).toContain("hybrid: goes back to snapshots");
    expect(text.replace(/\s+/g, " ")).toContain("350,000 tokens of conversation or 81 snapshots of 50 MiB");
    expect(text).toContain("off: next turns are not prefilled ahead");
    expect(text).toContain('-H "authorization: Bearer $WARMTURN_API_KEY"');
    const never = { ...FAKE_READY, resume: { allowed: false, why: "the self-test failed." } };
    expect(startScreen({ ...FACTS, ready: never }, PLAIN)).toContain(
      "nothing is resumed here: the self-test",
    );
  });

  test("on a narrow terminal rows are wrapped and what is to be pasted is not", () => {
    const wide = startScreen(FACTS, PLAIN).split("\n");
    const narrow = startScreen(FACTS, { ...PLAIN, columns: 40 }).split("\n");
    const code = [...curlLines(snippet("http://127.0.0.1:8080")), FACTS.command];
    for (const line of code)
      expect([wide, narrow].every((lines) => lines.some((one) => one.startsWith(line)))).toBe(true);
    for (const line of narrow.filter((one) => one.startsWith("  ") && !/^ {2}-|^ {2}\w+:/.test(one))) {
      expect(line.length).toBeLessThan(40);
    }
  });

  test("colour only on a terminal that has it and without NO_COLOR", () => {
    const terminal = { isTTY: true, columns: 100 };
    const coloured = lookOf(terminal, { TERM: "xterm-256color" });
    expect(coloured).toEqual({ columns: 100, colour: true, isTerminal: true, moves: true });
    const text = startScreen(FACTS, coloured);
    expect(text).toContain("\x1b[");
    expect(stripVTControlCharacters(text)).toBe(startScreen(FACTS, { ...PLAIN, columns: 100 }));
    expect(lookOf(terminal, { NO_COLOR: "1" })).toMatchObject({ colour: false, moves: true });
    expect(lookOf(terminal, { TERM: "dumb" })).toMatchObject({ colour: false, moves: false });
    expect(lookOf({}, {})).toEqual({ columns: 80, colour: false, isTerminal: false, moves: false });
  });

  test("a wildcard is no address of a server", () => {
    expect(reachableUrl("http://0.0.0.0:80")).toBe("http://127.0.0.1:80");
    expect(reachableUrl("http://[::]:80")).toBe("http://[::1]:80");
    expect(reachableUrl("http://10.0.0.7:80")).toBe("http://10.0.0.7:80");
  });
});

function snippet(base: string, needsKey = false) {
  return { base, modelName: FAKE_MODEL, needsKey };
}

describe.each([false, true])("pasted, with a key: %p", (needsKey) => {
  const env = { ...process.env, ...(needsKey ? { WARMTURN_API_KEY: "secret" } : {}) };

  async function answered(command: (base: string) => readonly string[]): Promise<string> {
    const server = fakeServer({ strict: true, ...(needsKey ? { apiKeys: ["secret"] } : {}) });
    server.engine.script = () => ({ text: "Good day." });
    await using target = listening(server.app);
    const child = Bun.spawn([...command(target.url)], { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  test.skipIf(Bun.which("curl") === null)("the curl line is answered", async () => {
    const text = await answered((base) => ["sh", "-c", curlLines(snippet(base, needsKey)).join("\n")]);
    expect(JSON.parse(text).choices[0].message.content).toBe("Good day.");
  });

  test("the program is answered", async () => {
    const program = (base: string): string => sdkLines(snippet(base, needsKey)).join("\n");
    expect(await answered((base) => [process.execPath, "-e", program(base)])).toBe("Good day.\n");
  });
});

describe("the bar", () => {
  const at = (share: number, columns: number): string =>
    progressLine({ what: "loading Qwen3-8B", share, elapsedMs: 4321 }, { ...PLAIN, columns });

  test("grows and fits", () => {
    expect(at(0, 57)).toBe(`loading Qwen3-8B ${"─".repeat(28)}   0 %  4 s`);
    expect(at(0.5, 57)).toBe(`loading Qwen3-8B ${"━".repeat(14)}${"─".repeat(14)}  50 %  4 s`);
    expect(at(1, 200)).toBe(`loading Qwen3-8B ${"━".repeat(30)} 100 %  4 s`);
    for (let columns = 1; columns < 100; columns++) expect(at(0.999, columns).length).toBeLessThan(columns);
  });

  test("other lines come above it, and it goes without a trace", () => {
    let written = "";
    const line = new StatusLine((text) => {
      written += text;
    });
    line.show("10 %");
    line.above("a warning\n");
    expect(screenText(written)).toBe("a warning\n10 %");
    line.show("20 %");
    line.show("");
    line.above("done\n");
    expect(screenText(written)).toBe("a warning\ndone\n");
  });
});

test.each<[boolean, string, Record<string, string>, string]>([
  [true, "./warmturn", {}, "./warmturn"],
  [true, "/my own/it's", {}, "'/my own/it'\\''s'"],
  [false, "bun", {}, "bun start"],
  [false, "bun", { npm_config_user_agent: "bun/1.4.5 npm/? node/v26.3.0" }, "bun start"],
  [false, "bun", { npm_config_user_agent: "npm/11.19.1 node/v20.20.2" }, "npx -y bun@1.4.5 start"],
])("how it is started: compiled %p, as %s, with %p", (compiled, typed, env, begins) => {
  expect(programOf(compiled, typed, env)).toBe(begins);
});
