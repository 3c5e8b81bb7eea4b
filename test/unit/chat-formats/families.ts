/**
 * The call formats of model families, and what their models write: one call of `edit` with a path, a number and
 * text of two lines, and the same followed by one of `run`.
 */
import type { CallFormat, CallPart, TaggedArguments } from "../../../src/chat/CallFormat.ts";
import { knownFormat, unrenderedCalls } from "../../../src/chat/formats/knownFormats.ts";
import { type ReplyFormat, USUAL_FORMAT } from "../../../src/chat/formats/ReplyFormat.ts";

export interface Family {
  readonly format: ReplyFormat;
  readonly one: string;
  /** Missing where a reply holds one call at most. */
  readonly two?: string;
  /** Reasoning as the model writes it, in front of a reply. */
  readonly thought?: string;
  /** A text reply where it is more than the text. */
  readonly text?: (text: string) => string;
}

export const EDIT = { path: "src/a b.ts", line: 3, text: 'say "hé"\n  🙂' };
export const RUN = { force: true };
const EDIT_JSON = '{"path": "src/a b.ts", "line": 3, "text": "say \\"hé\\"\\n  🙂"}';
const RUN_JSON = '{"force": true}';

const NAME = { slot: "name" } as const;
const ARGUMENTS = { slot: "arguments" } as const;
const THINK = { start: "<think>", end: "</think>" };
const thought = "<think>\nhm\n</think>\n\n";

function format(
  calls: Partial<CallFormat> & Pick<CallFormat, "parts">,
  more: Partial<ReplyFormat> = {},
): ReplyFormat {
  return {
    reasoning: null,
    textMarks: [],
    channels: null,
    ...more,
    calls: {
      shape: "named",
      sectionStart: "",
      separator: "",
      sectionEnd: "",
      arguments: { kind: "json" },
      several: true,
      bare: false,
      ...calls,
    },
  };
}

function json(
  sectionStart: string,
  sectionEnd: string,
  more: Partial<CallFormat> = {},
): Partial<CallFormat> & Pick<CallFormat, "parts"> {
  const parts: CallPart[] = ['{"name": "', NAME, '", "arguments": ', ARGUMENTS, "}"];
  return { shape: "json", sectionStart, sectionEnd, separator: ", ", parts, ...more };
}

function tagged(
  more: Partial<TaggedArguments> & Pick<TaggedArguments, "keyStart" | "keyEnd" | "valueEnd">,
): TaggedArguments {
  return {
    kind: "tagged",
    textKeyEnd: more.keyEnd,
    separator: "",
    texts: "raw",
    nested: "json",
    words: "json",
    ...more,
  };
}

function known(marks: string): ReplyFormat {
  return { reasoning: null, textMarks: [], channels: null, calls: null, ...knownFormat(marks) };
}

const object = (name: string, args: string) => `{"name": "${name}", "arguments": ${args}}`;
const hermes = (name: string, args: string) => `<tool_call>\n${object(name, args)}\n</tool_call>`;
const kimi = (name: string, index: number, args: string) =>
  `<|tool_call_begin|>functions.${name}:${index}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
const deepseek = (name: string, args: string) =>
  `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${args}<｜tool▁call▁end｜>`;
const r1 = (name: string, args: string) =>
  `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜>`;

const text = 'say "hé"\n  🙂';
const coderEdit = `<tool_call>\n<function=edit>\n<parameter=path>\nsrc/a b.ts\n</parameter>\n<parameter=line>\n3\n</parameter>\n<parameter=text>\n${text}\n</parameter>\n</function>\n</tool_call>`;
const coderRun =
  "<tool_call>\n<function=run>\n<parameter=force>\nTrue\n</parameter>\n</function>\n</tool_call>";
const seedEdit = `<seed:tool_call>\n<function=edit>\n<parameter=path>src/a b.ts</parameter>\n<parameter=line>3</parameter>\n<parameter=text>${text}</parameter>\n</function>\n</seed:tool_call>`;
const invokes = (open: string, close: string) => ({
  edit: `<${open}invoke name="edit">\n<${open}parameter name="path">src/a b.ts</${close}parameter>\n<${open}parameter name="line">3</${close}parameter>\n<${open}parameter name="text">${text}</${close}parameter>\n</${close}invoke>`,
  run: `<${open}invoke name="run">\n<${open}parameter name="force">true</${close}parameter>\n</${close}invoke>`,
});
const glmEdit = `<tool_call>edit\n<arg_key>path</arg_key>\n<arg_value>src/a b.ts</arg_value>\n<arg_key>line</arg_key>\n<arg_value>3</arg_value>\n<arg_key>text</arg_key>\n<arg_value>${text}</arg_value>\n</tool_call>`;
const glmRun = "<tool_call>run\n<arg_key>force</arg_key>\n<arg_value>true</arg_value>\n</tool_call>";
const dsml = (name: string, body: string) => `<｜DSML｜invoke name="${name}">\n${body}\n</｜DSML｜invoke>`;
const dsmlKey = (key: string, isText: boolean, value: string) =>
  `<｜DSML｜parameter name="${key}" string="${isText}">${value}</｜DSML｜parameter>`;
const dsmlEdit = dsml(
  "edit",
  [dsmlKey("path", true, "src/a b.ts"), dsmlKey("line", false, "3"), dsmlKey("text", true, text)].join("\n"),
);
const dsmlRun = dsml("run", dsmlKey("force", false, "true"));
const m2 = invokes("", "");
const atem = invokes("atem:", "atem:");
const mark = "]<]minimax[>[";
const m3Edit = `${mark}<invoke name="edit">${mark}<path>src/a b.ts${mark}</path>${mark}<line>3${mark}</line>${mark}<text>${text}${mark}</text>${mark}</invoke>\n`;
const m3Run = `${mark}<invoke name="run">${mark}<force>true${mark}</force>${mark}</invoke>\n`;
const k3 = (key: string, type: string, value: string) =>
  `<|open|>argument key="${key}" type="${type}"<|sep|>${value}<|close|>argument<|sep|>`;
const k3Edit = `<|open|>call tool="edit" index="1"<|sep|>${k3("path", "string", "src/a b.ts")}${k3("line", "number", "3")}${k3("text", "string", text)}<|close|>call<|sep|>`;
const k3Run = `<|open|>call tool="run" index="2"<|sep|>${k3("force", "boolean", "true")}<|close|>call<|sep|>`;
const cohere = (inner: string) => `<|START_ACTION|>[\n    ${inner}\n]<|END_ACTION|>`;
const rPlus = (inner: string) => `Action:\n\`\`\`json\n[\n${inner}\n]\`\`\`\n`;
const pythonEdit = "edit(path='src/a b.ts', line=3, text='say \"hé\"\\n  🙂')";
const gemmaText = `say "hé"\n  🙂`;

export const FAMILIES: Readonly<Record<string, Family>> = {
  "Hermes and Qwen": {
    format: USUAL_FORMAT,
    thought,
    one: hermes("edit", EDIT_JSON),
    two: `${hermes("edit", EDIT_JSON)}\n${hermes("run", RUN_JSON)}`,
  },
  Nemotron: {
    format: format(json("<TOOLCALL>[", "]</TOOLCALL>"), { reasoning: THINK }),
    thought,
    one: `<TOOLCALL>[${object("edit", EDIT_JSON)}]</TOOLCALL>`,
    two: `<TOOLCALL>[${object("edit", EDIT_JSON)}, ${object("run", RUN_JSON)}]</TOOLCALL>`,
  },
  "MiniMax-M1": {
    format: format(json("<tool_calls>\n", "\n</tool_calls>", { separator: "\n" })),
    one: `<tool_calls>\n${object("edit", EDIT_JSON)}\n</tool_calls>`,
    two: `<tool_calls>\n${object("edit", EDIT_JSON)}\n${object("run", RUN_JSON)}\n</tool_calls>`,
  },
  Apriel: {
    format: format(json("<tool_calls>[", "]</tool_calls>"), {
      reasoning: { start: "Here are my reasoning steps:", end: "[BEGIN FINAL RESPONSE]" },
    }),
    thought: "Here are my reasoning steps:\nhm\n[BEGIN FINAL RESPONSE]\n",
    one: `<tool_calls>[{"name": "edit", "arguments": ${EDIT_JSON}, "id": "0"}]</tool_calls>`,
    two: `<tool_calls>[${object("edit", EDIT_JSON)}, ${object("run", RUN_JSON)}]</tool_calls>`,
  },
  Apertus: {
    format: format(
      { ...json("<|tools_prefix|>[", "]<|tools_suffix|>"), parts: ['{"', NAME, '": ', ARGUMENTS, "}"] },
      {
        reasoning: { start: "<|inner_prefix|>", end: "<|inner_suffix|>" },
      },
    ),
    thought: "<|inner_prefix|>hm<|inner_suffix|>",
    one: `<|tools_prefix|>[{"edit": ${EDIT_JSON}}]<|tools_suffix|>`,
    two: `<|tools_prefix|>[{"edit": ${EDIT_JSON}}, {"run": ${RUN_JSON}}]<|tools_suffix|>`,
  },
  "granite 3.3": {
    format: {
      reasoning: THINK,
      textMarks: ["<response>", "</response>"],
      channels: null,
      calls: unrenderedCalls("<|tool_call|>", []),
    },
    thought: "<think>hm</think>",
    text: (said) => `<response>${said}</response>`,
    one: `<|tool_call|>[${object("edit", EDIT_JSON)}]`,
    two: `<|tool_call|>[${object("edit", EDIT_JSON)}, ${object("run", RUN_JSON)}]`,
  },
  "Command-R+": {
    format: format({
      ...json("Action:\n```json\n[", "\n]```", { separator: "," }),
      parts: ['\n    {\n        "tool_name": "', NAME, '",\n        "parameters": ', ARGUMENTS, "\n    }"],
    }),
    one: rPlus(`    {\n        "tool_name": "edit",\n        "parameters": ${EDIT_JSON}\n    }`),
    two: rPlus(
      `    {\n        "tool_name": "edit",\n        "parameters": ${EDIT_JSON}\n    },\n    {"tool_name": "run", "parameters": ${RUN_JSON}}`,
    ),
  },
  "Command-R7B": {
    format: format(
      {
        ...json("<|START_ACTION|>[", "\n]<|END_ACTION|>", { separator: "," }),
        parts: [
          '\n    {"tool_call_id": "',
          { slot: "index" },
          '", "tool_name": "',
          NAME,
          '", "parameters": ',
          ARGUMENTS,
          "}",
        ],
      },
      {
        reasoning: { start: "<|START_THINKING|>", end: "<|END_THINKING|>" },
        textMarks: ["<|START_RESPONSE|>", "<|END_RESPONSE|>"],
      },
    ),
    thought: "<|START_THINKING|>hm<|END_THINKING|>",
    text: (said) => `<|START_RESPONSE|>${said}<|END_RESPONSE|>`,
    one: cohere(`{"tool_call_id": "0", "tool_name": "edit", "parameters": ${EDIT_JSON}}`),
    two: cohere(
      `{"tool_call_id": "0", "tool_name": "edit", "parameters": ${EDIT_JSON}},\n    {"tool_call_id": "1", "tool_name": "run", "parameters": ${RUN_JSON}}`,
    ),
  },
  firefunction: {
    format: format(json(" functools[", "]")),
    one: ` functools[${object("edit", EDIT_JSON)}]`,
    two: ` functools[${object("edit", EDIT_JSON)}, ${object("run", RUN_JSON)}]`,
  },
  GigaChat: {
    format: format(
      {
        ...json("", "", { several: false }),
        parts: [
          '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "',
          NAME,
          '", "arguments": ',
          ARGUMENTS,
          "}",
        ],
      },
      { textMarks: ["<|message_sep|>"] },
    ),
    one: `<|message_sep|>\n\nfunction call<|role_sep|>\n${object("edit", EDIT_JSON)}`,
  },
  "Mistral v3": {
    format: format({
      ...json("[TOOL_CALLS][", "]"),
      parts: ['{"name": "', NAME, '", "arguments": ', ARGUMENTS, ', "id": "', { slot: "id" }, '"}'],
    }),
    one: `[TOOL_CALLS][{"name": "edit", "arguments": ${EDIT_JSON}, "id": "abcdefgh1"}]`,
    two: `[TOOL_CALLS] [{"name": "edit", "arguments": ${EDIT_JSON}, "id": "abcdefgh1"}, ${object("run", RUN_JSON)}]`,
  },
  "Mistral v11": {
    format: format(
      { parts: ["[TOOL_CALLS]", NAME, "[ARGS]", ARGUMENTS] },
      { reasoning: { start: "[THINK]", end: "[/THINK]" } },
    ),
    thought: "[THINK]hm[/THINK]",
    one: `[TOOL_CALLS]edit[ARGS]${EDIT_JSON}`,
    two: `[TOOL_CALLS]edit[ARGS]${EDIT_JSON}[TOOL_CALLS]run[ARGS]${RUN_JSON}`,
  },
  "Mistral v13": {
    format: format({ parts: ["[TOOL_CALLS]", NAME, "[CALL_ID]", { slot: "id" }, "[ARGS]", ARGUMENTS] }),
    one: `[TOOL_CALLS]edit[CALL_ID]abcdefgh1[ARGS]${EDIT_JSON}`,
    two: `[TOOL_CALLS]edit[CALL_ID]abcdefgh1[ARGS]${EDIT_JSON}[TOOL_CALLS]run[CALL_ID]abcdefgh2[ARGS]${RUN_JSON}`,
  },
  "Llama 3, JSON": {
    format: format({
      ...json("", "", { several: false, bare: true }),
      parts: ['{"name": "', NAME, '", "parameters": ', ARGUMENTS, "}"],
    }),
    one: `{"name": "edit", "parameters": ${EDIT_JSON}}`,
    two: `{"name": "edit", "parameters": ${EDIT_JSON}}; {"name": "run", "parameters": ${RUN_JSON}}`,
  },
  "Llama 3, keywords": {
    format: format({
      ...json("", "", { several: false, bare: true }),
      parts: ['{"name": "', NAME, '", "parameters": ', ARGUMENTS, "}"],
    }),
    one: `[${pythonEdit}]`,
    two: `[${pythonEdit}, run(force=True)]`,
  },
  "functionary v3.1": {
    format: format({ parts: ["<function=", NAME, ">", ARGUMENTS, "</function>"] }),
    one: `<function=edit>${EDIT_JSON}</function>`,
    two: `<function=edit>${EDIT_JSON}</function><function=run>${RUN_JSON}</function>`,
  },
  "functionary v3.2": {
    format: known(">>>all"),
    text: (said) => `all\n${said}`,
    one: `edit\n${EDIT_JSON}`,
    two: `edit\n${EDIT_JSON}\n>>>run\n${RUN_JSON}`,
  },
  "Kimi-K2": {
    format: format(
      {
        sectionStart: "<|tool_calls_section_begin|>",
        sectionEnd: "<|tool_calls_section_end|>",
        parts: [
          "<|tool_call_begin|>functions.",
          NAME,
          ":",
          { slot: "index" },
          "<|tool_call_argument_begin|>",
          ARGUMENTS,
          "<|tool_call_end|>",
        ],
      },
      { reasoning: THINK },
    ),
    thought,
    one: `<|tool_calls_section_begin|>${kimi("edit", 0, EDIT_JSON)}<|tool_calls_section_end|>`,
    two: `<|tool_calls_section_begin|>${kimi("edit", 0, EDIT_JSON)}${kimi("run", 1, RUN_JSON)}<|tool_calls_section_end|>`,
  },
  "Kimi-K3": {
    format: known("<|open|><|close|><|sep|>"),
    thought: "<|open|>think<|sep|>hm<|close|>think<|sep|>",
    text: (said) => `<|open|>response<|sep|>${said}<|close|>response<|sep|>`,
    one: `<|open|>tools<|sep|>${k3Edit}<|close|>tools<|sep|>`,
    two: `<|open|>tools<|sep|>${k3Edit}${k3Run}<|close|>tools<|sep|>`,
  },
  "DeepSeek V3.1": {
    format: format(
      {
        sectionStart: "<｜tool▁calls▁begin｜>",
        sectionEnd: "<｜tool▁calls▁end｜>",
        parts: ["<｜tool▁call▁begin｜>", NAME, "<｜tool▁sep｜>", ARGUMENTS, "<｜tool▁call▁end｜>"],
      },
      { reasoning: THINK },
    ),
    thought,
    one: `<｜tool▁calls▁begin｜>${deepseek("edit", EDIT_JSON)}<｜tool▁calls▁end｜>`,
    two: `<｜tool▁calls▁begin｜>${deepseek("edit", EDIT_JSON)}${deepseek("run", RUN_JSON)}<｜tool▁calls▁end｜>`,
  },
  "DeepSeek R1": {
    format: format(
      {
        sectionStart: "<｜tool▁calls▁begin｜>",
        separator: "\n",
        sectionEnd: "<｜tool▁calls▁end｜>",
        parts: [
          "<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
          NAME,
          "\n```json\n",
          ARGUMENTS,
          "\n```<｜tool▁call▁end｜>",
        ],
      },
      { reasoning: THINK },
    ),
    thought,
    // The distillations end here, without the section's own end.
    one: `<｜tool▁calls▁begin｜>${r1("edit", EDIT_JSON)}`,
    two: `<｜tool▁calls▁begin｜>${r1("edit", EDIT_JSON)}\n${r1("run", RUN_JSON)}<｜tool▁calls▁end｜>`,
  },
  "DeepSeek V3.2": {
    format: format(
      {
        sectionStart: "<｜DSML｜function_calls>",
        sectionEnd: "\n</｜DSML｜function_calls>",
        parts: ['\n<｜DSML｜invoke name="', NAME, '">', ARGUMENTS, "\n</｜DSML｜invoke>"],
        arguments: tagged({
          keyStart: '\n<｜DSML｜parameter name="',
          textKeyEnd: '" string="true">',
          keyEnd: '" string="false">',
          valueEnd: "</｜DSML｜parameter>",
        }),
      },
      { reasoning: THINK },
    ),
    thought,
    one: `<｜DSML｜function_calls>\n${dsmlEdit}\n</｜DSML｜function_calls>`,
    two: `<｜DSML｜function_calls>\n${dsmlEdit}\n${dsmlRun}\n</｜DSML｜function_calls>`,
  },
  "Qwen3-Coder": {
    format: format(
      {
        separator: "\n",
        parts: ["<tool_call>\n<function=", NAME, ">", ARGUMENTS, "\n</function>\n</tool_call>"],
        arguments: tagged({
          keyStart: "\n<parameter=",
          keyEnd: ">\n",
          valueEnd: "\n</parameter>",
          words: "python",
        }),
      },
      { reasoning: THINK },
    ),
    thought,
    one: coderEdit,
    two: `${coderEdit}\n${coderRun}`,
  },
  "Seed-OSS": {
    format: format(
      {
        separator: "\n",
        parts: ["<seed:tool_call>\n<function=", NAME, ">", ARGUMENTS, "\n</function>\n</seed:tool_call>"],
        arguments: tagged({
          keyStart: "\n<parameter=",
          keyEnd: ">",
          valueEnd: "</parameter>",
          nested: "python",
          words: "python",
        }),
      },
      { reasoning: { start: "<seed:think>", end: "</seed:think>" } },
    ),
    thought: "<seed:think>\nhm\n</seed:think>\n",
    one: seedEdit,
    two: `${seedEdit}\n<seed:tool_call>\n<function=run>\n<parameter=force>True</parameter>\n</function>\n</seed:tool_call>`,
  },
  "MiniMax-M2": {
    format: format(
      {
        sectionStart: "<minimax:tool_call>",
        sectionEnd: "\n</minimax:tool_call>",
        parts: ['\n<invoke name="', NAME, '">', ARGUMENTS, "\n</invoke>"],
        arguments: tagged({ keyStart: '\n<parameter name="', keyEnd: '">', valueEnd: "</parameter>" }),
      },
      { reasoning: THINK },
    ),
    thought,
    one: `<minimax:tool_call>\n${m2.edit}\n</minimax:tool_call>`,
    two: `<minimax:tool_call>\n${m2.edit}\n${m2.run}\n</minimax:tool_call>`,
  },
  "MiniMax-M3": {
    format: { ...known(`${mark}<invoke name="`), reasoning: { start: "<mm:think>", end: "</mm:think>" } },
    thought: "<mm:think>hm</mm:think>",
    one: `${mark}<tool_call>\n${m3Edit}${mark}</tool_call>`,
    two: `${mark}<tool_call>\n${m3Edit}${m3Run}${mark}</tool_call>`,
  },
  "GLM and Laguna": {
    format: format(
      {
        separator: "\n",
        parts: ["<tool_call>", NAME, ARGUMENTS, "\n</tool_call>"],
        arguments: tagged({
          keyStart: "\n<arg_key>",
          keyEnd: "</arg_key>\n<arg_value>",
          valueEnd: "</arg_value>",
        }),
      },
      { reasoning: THINK },
    ),
    thought,
    one: glmEdit,
    two: `${glmEdit}\n${glmRun}`,
  },
  MiniCPM5: {
    format: format(
      {
        separator: "\n",
        parts: ['<function name="', NAME, '">', ARGUMENTS, "</function>"],
        arguments: tagged({
          keyStart: '<param name="',
          keyEnd: '">',
          valueEnd: "</param>",
          texts: "cdata",
          nested: "python",
          words: "python",
        }),
      },
      { reasoning: THINK },
    ),
    thought,
    one: `<function name="edit"><param name="path">src/a b.ts</param><param name="line">3</param><param name="text"><![CDATA[${text}]]></param></function>`,
    two: `<function name="edit"><param name="path">src/a b.ts</param><param name="line">3</param><param name="text"><![CDATA[${text}]]></param></function>\n<function name="run"><param name="force">True</param></function>`,
  },
  "LFM2, keywords": {
    format: {
      reasoning: THINK,
      textMarks: [],
      channels: null,
      calls: unrenderedCalls("<|tool_call_start|>", []),
    },
    thought,
    one: `<|tool_call_start|>[${pythonEdit}]<|tool_call_end|>`,
    two: `<|tool_call_start|>[${pythonEdit}, run(force=True)]<|tool_call_end|>`,
  },
  "LFM2, JSON": {
    format: {
      reasoning: THINK,
      textMarks: [],
      channels: null,
      calls: unrenderedCalls("<|tool_call_start|>", []),
    },
    one: `<|tool_call_start|>[${object("edit", EDIT_JSON)}]<|tool_call_end|>`,
    two: `<|tool_call_start|>[${object("edit", EDIT_JSON)}, ${object("run", RUN_JSON)}]<|tool_call_end|>`,
  },
  "Gemma 4": {
    format: known('<|tool_call><|"|>'),
    thought: "<|channel>thought\nhm<channel|>",
    one: `<|tool_call>call:edit{line:3,path:<|"|>src/a b.ts<|"|>,text:<|"|>${gemmaText}<|"|>}<tool_call|>`,
    two: `<|tool_call>call:edit{line:3,path:<|"|>src/a b.ts<|"|>,text:<|"|>${gemmaText}<|"|>}<tool_call|><|tool_call>call:run{force:true}<tool_call|>`,
  },
  harmony: {
    format: known("<|channel|><|message|>analysis"),
    thought: "<|channel|>analysis<|message|>hm<|end|><|start|>assistant",
    text: (said) => `<|channel|>final<|message|>${said}`,
    one: `<|channel|>commentary to=functions.edit <|constrain|>json<|message|>${EDIT_JSON}`,
    two: `<|channel|>commentary to=functions.edit <|constrain|>json<|message|>${EDIT_JSON}<|call|><|start|>assistant to=functions.run<|channel|>commentary json<|message|>${RUN_JSON}<|call|>`,
  },
  muse: {
    format: {
      ...known(" to=self<|message|>"),
      calls: format({
        parts: [
          '<atem:function_calls>\n<atem:invoke name="',
          NAME,
          '">',
          ARGUMENTS,
          "\n</atem:invoke>\n</atem:function_calls>",
        ],
        arguments: tagged({
          keyStart: '\n<atem:parameter name="',
          keyEnd: '">',
          valueEnd: "</atem:parameter>",
        }),
      }).calls,
    },
    thought: " to=self<|message|>hm<|eom|><|start|>assistant",
    text: (said) => ` to=user<|message|>${said}<|eot|>`,
    one: ` to=edit<|message|><atem:function_calls>\n${atem.edit}\n</atem:function_calls>`,
    two: ` to=edit<|message|><atem:function_calls>\n${atem.edit}\n</atem:function_calls><|eom|><|start|>assistant to=run<|message|><atem:function_calls>\n${atem.run}\n</atem:function_calls><|eot|>`,
  },
};
