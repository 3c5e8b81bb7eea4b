/** What a chat shows and takes: the line on what a reply took, transcripts, slash commands' words, pastes. */
import { describe, expect, test } from "bun:test";
import { wrap } from "../../../../src/base/wrap.ts";
import { baseUrl } from "../../../../src/cli/chat/openServer.ts";
import { PasteFilter, withBreaks } from "../../../../src/cli/chat/PasteFilter.ts";
import { PlainTranscript } from "../../../../src/cli/chat/PlainTranscript.ts";
import { readTurn } from "../../../../src/cli/chat/readTurn.ts";
import { TerminalTranscript } from "../../../../src/cli/chat/TerminalTranscript.ts";
import { turnLine } from "../../../../src/cli/chat/turnLine.ts";
import type { Delta, Reply, ReplyReport } from "../../../../src/cli/chat/wireMessages.ts";
import type { Look } from "../../../../src/cli/Look.ts";
import { ConfigError } from "../../../../src/config/ConfigError.ts";

const REPORT: ReplyReport = {
  promptTokens: 1158,
  cachedTokens: 1124,
  warmturn: { resumed: 1124, warmed: 980, prefilled: 34 },
  firstTokenMs: 45.3,
  replyTokens: 50,
  tokensPerSecond: 31.7,
};

describe("the line on what a reply took", () => {
  test("this server's numbers", () => {
    expect(turnLine(REPORT)).toBe(
      "resumed 1,124 · warmed 980 · prefilled 34 · first token 45 ms · reply 50, 32 a second",
    );
  });

  test("another server's", () => {
    const other = { ...REPORT, warmturn: null, tokensPerSecond: null, firstTokenMs: 1234 };
    expect(turnLine(other)).toBe("prompt 1,158 · cached 1,124 · first token 1.2 s · reply 50");
    const nothing = {
      ...other,
      promptTokens: null,
      cachedTokens: null,
      replyTokens: null,
      firstTokenMs: null,
    };
    expect(turnLine(nothing)).toBe("");
  });
});

const CALL = {
  id: "call_1",
  type: "function",
  function: { name: "get_weather", arguments: '{"city": "Oslo"}' },
} as const;

const DELTAS: readonly Delta[] = [
  { type: "reasoning", text: "The weather" },
  { type: "reasoning", text: " is asked." },
  { type: "text", text: "Let me look." },
  { type: "call", name: "get_weather" },
  { type: "arguments", text: '{"city": ' },
  { type: "arguments", text: '"Oslo"}' },
];

const CALLED: Reply = {
  message: { role: "assistant", content: "Let me look.", tool_calls: [CALL] },
  finish: "tool_calls",
  why: null,
  report: REPORT,
};

describe("on a terminal", () => {
  function shown(look: Partial<Look>, play: (transcript: TerminalTranscript) => void): string {
    let text = "";
    const whole = { columns: 40, colour: false, isTerminal: true, moves: true, ...look };
    const write = (piece: string): void => {
      text += piece;
    };
    play(new TerminalTranscript(write, () => whole));
    return text;
  }

  test("each part begins its own line", () => {
    const text = shown({}, (transcript) => {
      for (const delta of DELTAS) transcript.delta(delta);
      transcript.replied(CALLED);
      transcript.result(CALL, `{"sky": "${"x".repeat(60)}"}`);
      transcript.delta({ type: "text", text: "Cold.\n" });
      transcript.replied({ ...CALLED, finish: "stopped" });
    });
    expect(text).toBe(`\
(thinks) The weather is asked.
Let me look.
→ get_weather {"city": "Oslo"}
${wrap(turnLine(REPORT), 39).join("\n")}
← {"sky": "${"x".repeat(27)}…
Cold.
(stopped)
${wrap(turnLine(REPORT), 39).join("\n")}
`);
  });

  test("what it tells is no wider than the terminal, in whole words and characters", () => {
    const text = shown({ columns: 30 }, (transcript) => {
      transcript.replied(CALLED);
      transcript.result(CALL, `{"sky": "${"雨🌞".repeat(20)}"}`);
      transcript.notice("one two three four five six seven eight\nnine");
    });
    const lines = text.trimEnd().split("\n");
    expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBeLessThan(30);
    expect(lines.slice(-4)).toEqual([
      `← {"sky": "${"雨🌞".repeat(4)}…`,
      "one two three four five six",
      "seven eight",
      "nine",
    ]);
    expect(lines.slice(0, -4).join(" ")).toBe(turnLine(REPORT));
  });

  test("reasoning is dim where there is colour", () => {
    const text = shown({ colour: true }, (transcript) => transcript.delta({ type: "reasoning", text: "hm" }));
    expect(text).toBe("\x1b[2mhm\x1b[22m");
  });

  test("a model cannot write control sequences", () => {
    const text = shown({}, (transcript) => {
      transcript.delta({ type: "text", text: "a\x1b]0;title\x07b\x9b2J\r\tc\n" });
      transcript.result(CALL, "\x1b[2J");
    });
    expect(text).toBe("a␛]0;title␇b\ufffd2J␍\tc\n← ␛[2J\n");
  });
});

test("for scripts: the text alone, and the rest on the other stream", () => {
  let text = "";
  const notes: string[] = [];
  const transcript = new PlainTranscript(
    (piece) => {
      text += piece;
    },
    (line) => notes.push(line),
  );
  for (const delta of DELTAS) transcript.delta(delta);
  transcript.replied(CALLED);
  transcript.result(CALL, "{}");
  transcript.replied({
    ...CALLED,
    message: { role: "assistant", content: "" },
    finish: "failed",
    why: "It broke.",
  });
  expect(text).toBe("Let me look.\n");
  expect(notes).toEqual([
    '→ get_weather {"city": "Oslo"}',
    turnLine(REPORT),
    "← {}",
    "It broke.",
    turnLine(REPORT),
  ]);
});

describe("what is typed", () => {
  test("a backslash goes on in the next line", async () => {
    const turns = async (...lines: string[]): Promise<unknown[]> => {
      const read = [...lines];
      const firsts: boolean[] = [];
      const readLine = async (first: boolean): Promise<string | null> => {
        firsts.push(first);
        return read.shift() ?? null;
      };
      return [await readTurn(readLine), await readTurn(readLine), firsts];
    };
    expect(await turns("a\\", "b", "c")).toEqual(["a\nb", "c", [true, false, true]]);
    expect(await turns("a\\")).toEqual(["a", null, [true, false, true]]);
  });

  test.each([1, 2, 3, 7, 100])("a paste is one line, in pieces of %d", async (size) => {
    const filter = new PasteFilter();
    const typed = new TextEncoder().encode("é\x1b[A\x1b[200~one\r\ntwo\rthree\n\nfour \x1b[2\x1b[201~\r");
    for (let at = 0; at < typed.length; at += size) filter.write(typed.slice(at, at + size));
    filter.end();
    const out = await new Response(filter as never).text();
    expect(out).toBe("é\x1b[Aone⏎two⏎three⏎⏎four \x1b[2\r");
    expect(withBreaks("one⏎two")).toBe("one\ntwo");
  });

  test("a Ctrl-C is the listener's while there is one, but none in a paste", async () => {
    const filter = new PasteFilter();
    let stops = 0;
    filter.onInterrupt = () => {
      stops += 1;
    };
    filter.write("ahead\x03\x1b[200~a\x03b\x1b[201~");
    filter.onInterrupt = null;
    filter.write("\x03");
    filter.end();
    expect([await new Response(filter as never).text(), stops]).toEqual(["aheada\x03b\x03", 1]);
  });

  test("an address in all its forms", () => {
    for (const url of [
      "127.0.0.1:80",
      "http://127.0.0.1:80",
      "http://127.0.0.1:80/",
      "http://127.0.0.1:80/v1/",
    ]) {
      expect(baseUrl(url)).toBe("http://127.0.0.1:80");
    }
    expect(baseUrl("https://example.org/llm/v1")).toBe("https://example.org/llm");
    for (const url of ["http://", "ftp://example.org", "file:///x", "a b"]) {
      expect(() => baseUrl(url)).toThrow(ConfigError);
    }
  });
});
