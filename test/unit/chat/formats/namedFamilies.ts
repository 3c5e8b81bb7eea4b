/** Families whose calls have their name outside their arguments. */
import { unrenderedCalls } from "../../../../src/chat/formats/knownFormats.ts";
import {
  ARGUMENTS,
  atem,
  coderEdit,
  coderRun,
  deepseek,
  dsmlEdit,
  dsmlRun,
  EDIT_JSON,
  type Family,
  format,
  gemmaText,
  glmEdit,
  glmRun,
  k3Edit,
  k3Run,
  kimi,
  known,
  m2,
  m3Edit,
  m3Run,
  mark,
  NAME,
  object,
  pythonEdit,
  RUN_JSON,
  r1,
  seedEdit,
  THINK,
  tagged,
  text,
  thought,
} from "./familyForms.ts";

export const NAMED_FAMILIES: Readonly<Record<string, Family>> = {
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
