/** The oracle is checked by hand-made cases, and its cut rule against the planner on random prompts. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { requestChunks } from "../../../src/plan/requestChunks.ts";
import { ECHO_CLIENTS, type EchoClient } from "../clients/echo.ts";
import type { WireReply, WireRequest, WireTool } from "../clients/wire.ts";
import { SPECIALS } from "../tinyModels/specials.ts";
import { TINY_KINDS, tinyModel } from "../tinyModels/tinyModel.ts";
import { argumentText } from "./argumentText.ts";
import { expectedResume, type OracleSettings } from "./expectedResume.ts";
import { naiveCuts } from "./naiveCuts.ts";

/** One id for each special token, one for each UTF-16 unit of the rest. */
function tokenise(text: string): number[] {
  const ids: number[] = [];
  for (let at = 0; at < text.length; ) {
    const special = SPECIALS.findIndex((it) => text.startsWith(it.text, at));
    ids.push(special < 0 ? text.charCodeAt(at) : 0x10_0000 + special);
    at += SPECIALS[special]?.text.length ?? 1;
  }
  return ids;
}

describe("naive cuts", () => {
  const rules = { openers: [[9, 1]], chunkTokensMin: 3, chunkTokensMax: 6, tripTokensMin: 0 };

  test("a message start is a cut once enough tokens have gathered; a full chunk is cut", () => {
    const tokens = [0, 9, 1, 0, 9, 1, 0, 0, 0, 0, 0, 0, 0];
    expect(naiveCuts(tokens, rules).cuts).toEqual([4, 10]);
  });

  test("nothing is cut where an opener may still be completed, and no token is left without a chunk", () => {
    expect(naiveCuts([0, 0, 0, 0, 9], rules).cuts).toEqual([]);
    expect(naiveCuts([0, 0, 0, 0, 9, 1], rules).cuts).toEqual([4]);
    expect(naiveCuts([0, 0, 0, 0, 0, 0], rules).cuts).toEqual([]);
    expect(naiveCuts([0, 0, 0, 0, 0, 0, 9], rules).cuts).toEqual([6]);
  });

  test("trips are cuts far enough from the last trip", () => {
    const tokens = Array.from({ length: 25 }, () => 0);
    expect(naiveCuts(tokens, { ...rules, tripTokensMin: 7 }).trips).toEqual([12, 24]);
  });

  test("agree with the planner on random prompts and rules", () => {
    const token = fc.integer({ min: 0, max: 4 });
    const opener = fc.array(token, { minLength: 1, maxLength: 4 });
    const check = (
      tokens: number[],
      openers: number[][],
      min: number,
      more: number,
      tripTokensMin: number,
    ): void => {
      const chosen = { openers, chunkTokensMin: min, chunkTokensMax: min + more, tripTokensMin };
      const naive = naiveCuts(tokens, chosen);
      const plan = requestChunks(Int32Array.from(tokens), { ...chosen, userOpeners: [] }, 1n);
      expect([...plan.cuts]).toEqual([...naive.cuts]);
      expect([...plan.trips]).toEqual([...naive.trips]);
    };
    fc.assert(
      fc.property(
        fc.array(token, { minLength: 1, maxLength: 120 }),
        fc.array(opener, { maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 30 }),
        check,
      ),
      { numRuns: 1000 },
    );
  });

  test("and where chunks get shorter behind many tokens", () => {
    const check = (length: number, salt: number, max: number, taperTokens: number): void => {
      const tokens = Array.from({ length }, (_, i) => Math.imul(i + salt, 2654435761) >>> 28);
      const chosen = {
        openers: [[3, 7]],
        chunkTokensMin: 20,
        chunkTokensMax: max,
        tripTokensMin: 0,
        taperTokens,
      };
      const plan = requestChunks(Int32Array.from(tokens), { ...chosen, userOpeners: [] }, 1n);
      expect([...plan.cuts]).toEqual([...naiveCuts(tokens, chosen).cuts]);
    };
    const number = (min: number, max: number) => fc.integer({ min, max });
    fc.assert(fc.property(number(1, 3000), number(0, 99), number(20, 512), number(0, 2000), check), {
      numRuns: 100,
    });
  });
});

test("arguments are spaced and ordered, their spellings kept", () => {
  const schema = { properties: { city: {}, at: { properties: { x: {}, y: {} } } } };
  const sent = '{"z":1.0,"2":[1,{"b" : "\\u00e9, :"}], "at":{"y":-2e3,"x":true},"city":"Paris"}';
  expect(argumentText(sent, schema)).toBe(
    '{"city": "Paris", "at": {"x": true, "y": -2e3}, "z": 1.0, "2": [1, {"b": "é, :"}]}',
  );
  expect(argumentText(" ", undefined)).toBe("{}");
  expect(argumentText("[1]", undefined)).toBeUndefined();
  expect(argumentText("{broken", undefined)).toBeUndefined();
});

describe("expected resume", () => {
  const tools: readonly WireTool[] = [
    {
      type: "function",
      function: { name: "weather", parameters: { properties: { city: {}, days: {}, unit: {} } } },
    },
  ];
  const sent: WireRequest = {
    messages: [
      { role: "system", content: "Be short. ".repeat(8) },
      { role: "user", content: "How is the weather in Paris? ".repeat(3) },
    ],
    tools,
  };
  const call = (id: string) => ({
    id,
    type: "function" as const,
    function: { name: "weather", arguments: '{"unit": "celsius", "days": 2.0, "city": "Paris"}' },
  });
  const replies: Readonly<Record<"user" | "tool", WireReply>> = {
    user: { role: "assistant", content: "It is sunny.", reasoning_content: "Easy to say." },
    tool: { role: "assistant", content: null, reasoning_content: "I must look.", tool_calls: [call("c1")] },
  };

  function following(client: EchoClient, next: "user" | "tool"): WireRequest {
    const reply = replies[next];
    const answer =
      next === "user"
        ? { role: "user" as const, content: "And tomorrow?" }
        : client.result(call("c1"), "Sunny, 20 degrees");
    return { messages: [...sent.messages, client.echo(reply, tools), answer], tools };
  }

  for (const kind of TINY_KINDS) {
    test(`${kind}: every client resumes at the start of its new message`, async () => {
      const model = await tinyModel(kind);
      const settings: OracleSettings = {
        template: model.template,
        variables: { bos_token: model.bosToken, eos_token: model.eosToken, enable_thinking: true },
        tokenise,
        rules: { openers: openersOf(kind), chunkTokensMin: 16, chunkTokensMax: 512, tripTokensMin: 0 },
      };
      for (const client of ECHO_CLIENTS) {
        for (const next of ["user", "tool"] as const) {
          const request = following(client, next);
          const { resume, common, prompt } = expectedResume(settings, sent, replies[next], request);
          const text = String.fromCodePoint(
            ...prompt.slice(common).map((id) => (id < 0x10_0000 ? id : 0x23)),
          );
          expect(text.startsWith(next === "user" ? "And tomorrow?" : "Sunny, 20")).toBe(true);
          const start = prompt.slice(resume, common).map((id) => SPECIALS[id - 0x10_0000]?.text ?? "");
          // One message opener, and nothing else, lies between the resumed cut and the new text.
          expect(start[0]).not.toBe("");
          expect(common - resume).toBeLessThan(40);
        }
      }
    });
  }
});

function openersOf(kind: (typeof TINY_KINDS)[number]): number[][] {
  if (kind === "gemma3") return ["user", "model"].map((role) => tokenise(`<start_of_turn>${role}\n`));
  if (kind === "mamba2") {
    const roles = ["system", "user", "assistant", "ipython"];
    return roles.map((role) => tokenise(`<|start_header_id|>${role}<|end_header_id|>\n\n`));
  }
  return ["system", "user", "assistant", "tool"].map((role) => tokenise(`<|im_start|>${role}\n`));
}
