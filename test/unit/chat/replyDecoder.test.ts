import { expect, test } from "bun:test";
import fc from "fast-check";
import { ReplyDecoder } from "../../../src/chat/replyDecoder.ts";

test("characters that span tokens come out whole, whatever the bytes and the split", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.string({ unit: "grapheme" }).map((text) => new TextEncoder().encode(text)),
  );
  fc.assert(
    fc.property(bytes, (all) => {
      const decoder = new ReplyDecoder();
      let text = "";
      for (const byte of all) text += decoder.push(Uint8Array.of(byte));
      expect(text + decoder.end()).toBe(new TextDecoder("utf-8", { ignoreBOM: true }).decode(all));
    }),
    { numRuns: 1000 },
  );
});
