/** The reader of another project's test file, on a small one written for this test. */
import { expect, test } from "bun:test";
import { readCases } from "../../../support/parserCases/readCases.ts";
import { prompterOf, runCase } from "../../../support/parserCases/runCase.ts";

const SOURCE = `
static common_chat_tool add_tool{ /* .name = */ "add", "adds", R"({"type": "object", "properties": {"a": {"type": "integer"}}})" };
const common_chat_msg greeting = simple_assist_msg("Hi\\n" "there");
static void test_family(const std::string & path, bool debug) {
    auto tst = peg_tester(path, debug);
    tst.test("Hi\\nthere").expect(greeting).run();
}
static void test_template_output_peg_parsers(bool debug) {
    for (const char * path : { "one.jinja", "two.jinja" }) { test_family(path, debug); }
    {
        // "not a string
        auto tst = peg_tester("three.jinja", debug);
        const std::string mark = "<tool_call>\\n";
        common_chat_msg wanted = simple_assist_msg("", "hm", "add", "{\\"a\\":1}");
        wanted.content = "Wait.";
        tst.test("hm</think>Wait.\\n" + mark + R"x({"name": "add", "arguments": {"a": 1}})x" "\\n</tool_call>")
            .enable_thinking(true).reasoning_format(COMMON_REASONING_FORMAT_AUTO)
            .tools({ add_tool }).expect(wanted).run();
        tst.test("Well").is_partial(true).expect_content("Well").expect_tool_calls({ { "add", "{}", {} } }).run();
        tst.test("never run");
    }
}
int main() { test_template_output_peg_parsers(false); }
`;

const TEMPLATE = `{%- for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{%- endfor %}{%- if add_generation_prompt %}<|im_start|>assistant
<think>{%- endif %}`;

test("cases come out with their templates, tools and what is expected", () => {
  const cases = readCases(SOURCE);
  expect(cases.map(({ template, input }) => [template, input.slice(0, 5)])).toEqual([
    ["one.jinja", "Hi\nth"],
    ["two.jinja", "Hi\nth"],
    ["three.jinja", "hm</t"],
    ["three.jinja", "Well"],
  ]);
  expect(cases[2]).toMatchObject({
    tools: [{ name: "add" }],
    reasoning: "auto",
    expected: { content: "Wait.", reasoning: "hm", calls: [{ name: "add", arguments: '{"a":1}' }] },
  });
  expect(cases[3]).toMatchObject({ partial: true, reasoning: "none", expected: { content: "Well" } });
});

test("a case is equal, or it is told what came", () => {
  const one = readCases(SOURCE)[2];
  if (one === undefined) throw new Error("no case");
  const prompter = prompterOf(TEMPLATE, [one.input]);
  expect(runCase(one, prompter).verdict).toBe("equal");
  const wrong = { ...one, expected: { ...one.expected, reasoning: "other" } };
  expect(runCase(wrong, prompter)).toMatchObject({ verdict: "different", ours: { reasoning: "hm" } });
  const blank = { ...one, expected: { ...one.expected, content: "Wait.\n" } };
  expect(runCase(blank, prompter).verdict).toBe("edges");
});
