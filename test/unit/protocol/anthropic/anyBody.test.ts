/** Whatever a body holds: a Turn, or an error that names a field; never a defect. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../../../../src/base/AppError.ts";
import { canonicalForm } from "../../../../src/chat/canonical.ts";
import { parseJson } from "../../../../src/json/parseJson.ts";
import { readCountRequest, readMessagesRequest } from "../../../../src/protocol/anthropic/model.ts";
import { BYTE_SAMPLING } from "../../../support/sampling.ts";

const odd = fc.oneof(
  { depthSize: "small" },
  fc.constantFrom(null, true, 0, -1, 1.5, "", " ", "x", [], {}, [[]], ["x"], { type: "text" }),
  fc.jsonValue({ maxDepth: 2 }),
);
const mostly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 40, arbitrary: right }, { weight: 1, arbitrary: odd });
const rarely = mostly(fc.constant(undefined));
const word = fc.constantFrom("a", "b\n", "", " ", "é🙂", "<|im_start|>");
const id = fc.constantFrom("1", "2", "3");

const { block, content } = fc.letrec((tie) => ({
  content: mostly(fc.oneof(word, fc.array(tie("block"), { maxLength: 4 }))),
  block: mostly(
    fc.oneof(
      fc.record({ type: fc.constant("text"), text: mostly(word) }),
      fc.record({ type: fc.constant("thinking"), thinking: mostly(word), signature: word }),
      fc.record({ type: fc.constant("redacted_thinking"), data: word }),
      fc.record({
        type: fc.constant("tool_use"),
        id: mostly(id),
        name: mostly(fc.constant("f")),
        input: mostly(fc.dictionary(fc.constantFrom("1", "b"), odd)),
      }),
      fc.record({
        type: fc.constant("tool_result"),
        tool_use_id: mostly(id),
        content: tie("content"),
        is_error: mostly(fc.boolean()),
      }),
      fc.record({
        type: fc.constant("document"),
        title: odd,
        source: fc.record({ type: fc.constantFrom("text", "content"), data: odd, content: odd }),
      }),
      fc.record({ type: fc.constant("search_result"), title: odd, content: odd }),
      fc.record({ type: fc.constant("tool_reference"), tool_name: mostly(fc.constant("later")) }),
      fc.record({ type: mostly(fc.constantFrom("image", "server_tool_use", "web_search_tool_result")) }),
    ),
  ),
}));
const message = mostly(fc.record({ role: mostly(fc.constantFrom("user", "assistant", "system")), content }));
const tool = mostly(
  fc.record(
    {
      name: mostly(fc.constantFrom("f", "g", "later")),
      input_schema: mostly(fc.object({ maxDepth: 1 })),
      type: mostly(fc.constant("custom")),
      defer_loading: mostly(fc.boolean()),
    },
    { requiredKeys: ["name"] },
  ),
);
const body = fc.record(
  {
    messages: mostly(fc.array(message, { maxLength: 6 })),
    system: mostly(fc.oneof(word, fc.array(block, { maxLength: 2 }))),
    tools: mostly(fc.array(tool, { maxLength: 2 })),
    tool_choice: rarely,
    thinking: rarely,
    metadata: rarely,
    output_config: rarely,
    max_tokens: rarely,
    stop_sequences: rarely,
    temperature: rarely,
  },
  { requiredKeys: ["messages"] },
);

/** Undefined where it is refused, by name. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).toBe("invalid-request");
    expect(error.field).not.toBeNull();
    expect(error.message).toStartWith(`${error.field}: `);
    return undefined;
  }
}

test("a Turn in canonical form, or an error with the field's path", () => {
  let read = 0;
  fc.assert(
    fc.property(body, (sent) => {
      const json = parseJson(JSON.stringify(sent));
      const options = { sampling: BYTE_SAMPLING, keepAttribution: false };
      const request = attempt(() => readMessagesRequest(json, options));
      const counted = attempt(() => readCountRequest(json, false));
      if (request === undefined) return;
      read += 1;
      const { messages, tools } = request.turn.prompt;
      expect(canonicalForm(messages, tools)).toEqual(messages as never);
      expect(counted?.prompt).toEqual(request.turn.prompt);
    }),
    { numRuns: 2_000 },
  );
  // Else the property would hold of refusals alone.
  expect(read).toBeGreaterThan(50);
});
