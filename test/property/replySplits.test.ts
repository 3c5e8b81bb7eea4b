/**
 * However the bytes of a reply are split, also inside a character, the same reply comes out, in every format:
 * no tag that opens a call leaks beside it, nothing is said that is blank, ids are unique and indexes count up.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { ReplyAssembler } from "../../src/serve/ReplyAssembler.ts";
import { FAMILIES } from "../unit/chat/formats/families.ts";
import type { Family } from "../unit/chat/formats/familyForms.ts";
import { TOOLS } from "../unit/chat/formats/readAs.ts";

interface Read {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly message: unknown;
  readonly stop: string | null;
}

/** `pieces` are the tokens of a vocabulary made for this reply. */
function assemble(
  family: Family,
  pieces: readonly Uint8Array[],
  opensReasoning: boolean,
  stop: readonly string[],
): Read {
  let ids = 0;
  const assembler = new ReplyAssembler({
    format: family.format,
    opensReasoning,
    tools: TOOLS,
    newCallId: () => `call_${++ids}`,
    vocab: { piece: (token) => pieces[token] ?? new Uint8Array() },
    stop,
  });
  const deltas = [...pieces.keys()].flatMap((token) => assembler.push(token));
  deltas.push(...assembler.end());
  let reasoning = "";
  let text = "";
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const delta of deltas) {
    if (delta.type === "reasoning") reasoning += delta.text;
    if (delta.type === "text") text += delta.text;
    if (delta.type === "call") {
      expect(delta.index).toBe(calls.length);
      calls.push({ id: delta.id, name: delta.name, arguments: "" });
    }
    const last = calls.at(-1);
    if (delta.type === "call-arguments" && last !== undefined) last.arguments += delta.text;
  }
  return { reasoning, text, calls, message: assembler.message(), stop: assembler.stopString };
}

function split(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [...new Set([0, ...places.map((place) => place % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  return cuts.slice(1).map((end, i) => bytes.slice(cuts[i], end));
}

/** What matters to this family's reader: its own words, whole and in pieces, and what stands between them. */
function soup(family: Family): fc.Arbitrary<string> {
  const { one, two = "", thought = "" } = family;
  const tags = `${one}${two}${thought}`.match(/<[^<>\s]{1,40}>?|\[[A-Z_]+\]/g) ?? [];
  const piece = fc.oneof(
    {
      weight: 2,
      arbitrary: fc.constantFrom(one, two, thought, one.slice(0, 20), one.slice(-20), one.slice(10)),
    },
    { weight: 3, arbitrary: fc.constantFrom("", ...tags) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        "\n",
        " ",
        "é🙂",
        "word",
        "<",
        "[",
        "{",
        "}",
        '"',
        "\\",
        ",",
        "'",
        "edit",
        ">>>",
      ),
    },
    { weight: 1, arbitrary: fc.nat(one.length).map((at) => one.slice(0, at)) },
  );
  return fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(""));
}

for (const [name, family] of Object.entries(FAMILIES)) {
  test(name, () => {
    fc.assert(
      fc.property(
        soup(family),
        fc.array(fc.nat(5000), { maxLength: 12 }),
        fc.boolean(),
        fc.constantFrom<readonly string[]>([], [], ["d 🙂"], ["\n\n", "word"]),
        (reply, places, opensReasoning, stop) => {
          const bytes = new TextEncoder().encode(reply);
          const opens = opensReasoning && family.format.channels === null;
          const whole = assemble(family, [bytes], opens, stop);
          expect(assemble(family, split(bytes, places), opens, stop)).toEqual(whole);
          expect(
            assemble(
              family,
              [...bytes].map((byte) => Uint8Array.of(byte)),
              opens,
              stop,
            ),
          ).toEqual(whole);
          expect(whole.text.trim()).toBe(whole.text);
          expect(whole.reasoning.trim()).toBe(whole.reasoning);
          expect(new Set(whole.calls.map((call) => call.id)).size).toBe(whole.calls.length);
        },
      ),
      { numRuns: 150 },
    );
  });
}
