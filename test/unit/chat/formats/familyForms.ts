/** What the families' formats and replies in these tests are made of. */
import type { CallFormat, CallPart, TaggedArguments } from "../../../../src/chat/CallFormat.ts";
import { knownFormat } from "../../../../src/chat/formats/knownFormats.ts";
import type { ReplyFormat } from "../../../../src/chat/formats/ReplyFormat.ts";

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
export const EDIT_JSON = '{"path": "src/a b.ts", "line": 3, "text": "say \\"hé\\"\\n  🙂"}';
export const RUN_JSON = '{"force": true}';

export const NAME = { slot: "name" } as const;
export const ARGUMENTS = { slot: "arguments" } as const;
export const THINK = { start: "<think>", end: "</think>" };
export const thought = "<think>\nhm\n</think>\n\n";

export function format(
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

export function json(
  sectionStart: string,
  sectionEnd: string,
  more: Partial<CallFormat> = {},
): Partial<CallFormat> & Pick<CallFormat, "parts"> {
  const parts: CallPart[] = ['{"name": "', NAME, '", "arguments": ', ARGUMENTS, "}"];
  return { shape: "json", sectionStart, sectionEnd, separator: ", ", parts, ...more };
}

export function tagged(
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

export function known(marks: string): ReplyFormat {
  return { reasoning: null, textMarks: [], channels: null, calls: null, ...knownFormat(marks) };
}

export const object = (name: string, args: string) => `{"name": "${name}", "arguments": ${args}}`;
export const hermes = (name: string, args: string) => `<tool_call>\n${object(name, args)}\n</tool_call>`;
export const kimi = (name: string, index: number, args: string) =>
  `<|tool_call_begin|>functions.${name}:${index}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
export const deepseek = (name: string, args: string) =>
  `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${args}<｜tool▁call▁end｜>`;
export const r1 = (name: string, args: string) =>
  `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜>`;

export const text = 'say "hé"\n  🙂';
export const coderEdit = `<tool_call>\n<function=edit>\n<parameter=path>\nsrc/a b.ts\n</parameter>\n<parameter=line>\n3\n</parameter>\n<parameter=text>\n${text}\n</parameter>\n</function>\n</tool_call>`;
export const coderRun =
  "<tool_call>\n<function=run>\n<parameter=force>\nTrue\n</parameter>\n</function>\n</tool_call>";
export const seedEdit = `<seed:tool_call>\n<function=edit>\n<parameter=path>src/a b.ts</parameter>\n<parameter=line>3</parameter>\n<parameter=text>${text}</parameter>\n</function>\n</seed:tool_call>`;
export const invokes = (open: string, close: string) => ({
  edit: `<${open}invoke name="edit">\n<${open}parameter name="path">src/a b.ts</${close}parameter>\n<${open}parameter name="line">3</${close}parameter>\n<${open}parameter name="text">${text}</${close}parameter>\n</${close}invoke>`,
  run: `<${open}invoke name="run">\n<${open}parameter name="force">true</${close}parameter>\n</${close}invoke>`,
});
export const glmEdit = `<tool_call>edit\n<arg_key>path</arg_key>\n<arg_value>src/a b.ts</arg_value>\n<arg_key>line</arg_key>\n<arg_value>3</arg_value>\n<arg_key>text</arg_key>\n<arg_value>${text}</arg_value>\n</tool_call>`;
export const glmRun = "<tool_call>run\n<arg_key>force</arg_key>\n<arg_value>true</arg_value>\n</tool_call>";
export const dsml = (name: string, body: string) =>
  `<｜DSML｜invoke name="${name}">\n${body}\n</｜DSML｜invoke>`;
export const dsmlKey = (key: string, isText: boolean, value: string) =>
  `<｜DSML｜parameter name="${key}" string="${isText}">${value}</｜DSML｜parameter>`;
export const dsmlEdit = dsml(
  "edit",
  [dsmlKey("path", true, "src/a b.ts"), dsmlKey("line", false, "3"), dsmlKey("text", true, text)].join("\n"),
);
export const dsmlRun = dsml("run", dsmlKey("force", false, "true"));
export const m2 = invokes("", "");
export const atem = invokes("atem:", "atem:");
export const mark = "]<]minimax[>[";
export const m3Edit = `${mark}<invoke name="edit">${mark}<path>src/a b.ts${mark}</path>${mark}<line>3${mark}</line>${mark}<text>${text}${mark}</text>${mark}</invoke>\n`;
export const m3Run = `${mark}<invoke name="run">${mark}<force>true${mark}</force>${mark}</invoke>\n`;
export const k3 = (key: string, type: string, value: string) =>
  `<|open|>argument key="${key}" type="${type}"<|sep|>${value}<|close|>argument<|sep|>`;
export const k3Edit = `<|open|>call tool="edit" index="1"<|sep|>${k3("path", "string", "src/a b.ts")}${k3("line", "number", "3")}${k3("text", "string", text)}<|close|>call<|sep|>`;
export const k3Run = `<|open|>call tool="run" index="2"<|sep|>${k3("force", "boolean", "true")}<|close|>call<|sep|>`;
export const cohere = (inner: string) => `<|START_ACTION|>[\n    ${inner}\n]<|END_ACTION|>`;
export const rPlus = (inner: string) => `Action:\n\`\`\`json\n[\n${inner}\n]\`\`\`\n`;
export const pythonEdit = "edit(path='src/a b.ts', line=3, text='say \"hé\"\\n  🙂')";
export const gemmaText = `say "hé"\n  🙂`;
