/** Chat templates written for these tests, one for each way in which model families open and close messages. */
import { FakeVocab, type FakeVocabOptions } from "../../support/FakeVocab.ts";

export interface Family {
  readonly template: string;
  readonly vocab: FakeVocabOptions;
  /** Spellings of the expected openers, in no order. */
  readonly openers: readonly string[];
  /** The expected user opener as text. */
  readonly user: string;
}

const CALLS = `{%- for call in message.tool_calls or [] %}
{{- '<tool_call>\\n{"name": ' + (call.function.name | tojson) + ', "arguments": ' + (call.function.arguments | tojson) + '}\\n</tool_call>' }}
{%- endfor %}`;

const CHATML_PROMPT = `{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}
{%- if enable_thinking is defined and not enable_thinking %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}`;

const CHATML_VOCAB: FakeVocabOptions = {
  control: ["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
  userDefined: ["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"],
  eos: "<|im_end|>",
};

export const FAMILIES = {
  /** Tool results in a role of their own. */
  chatml: {
    template: `{%- if tools %}{{- '<|im_start|>system\\n' + (tools | tojson) + '<|im_end|>\\n' }}{%- endif %}
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' }}
{%- if message.reasoning_content %}{{- '<think>\\n' + message.reasoning_content + '\\n</think>\\n' }}{%- endif %}
{{- message.content }}
${CALLS}
{{- '<|im_end|>\\n' }}
{%- endfor %}
${CHATML_PROMPT}`,
    vocab: CHATML_VOCAB,
    openers: ["<|im_start|>"],
    user: "<|im_start|>user",
  },
  /** Tool results inside a user message, reasoning read out of the text and dropped from old turns. */
  qwen: {
    template: `{%- set ns = namespace(last=-1) %}
{%- for message in messages %}{%- if message.role == 'user' %}{%- set ns.last = loop.index0 %}{%- endif %}{%- endfor %}
{%- for message in messages %}
{%- if message.role == 'tool' %}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
{%- elif message.role == 'assistant' %}
{%- set text = message.content %}
{%- set thought = message.reasoning_content or '' %}
{%- if '</think>' in text %}
{%- set thought = text.split('</think>')[0].split('<think>')[-1] %}
{%- set text = text.split('</think>')[-1] %}
{%- endif %}
{{- '<|im_start|>assistant\\n' }}
{%- if thought and loop.index0 > ns.last %}{{- '<think>\\n' + thought + '\\n</think>\\n\\n' }}{%- endif %}
{{- text }}
${CALLS}
{{- '<|im_end|>\\n' }}
{%- else %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endif %}
{%- endfor %}
${CHATML_PROMPT}`,
    vocab: CHATML_VOCAB,
    openers: ["<|im_start|>"],
    user: "<|im_start|>user",
  },
  llama3: {
    template: `{{- bos_token }}
{%- for message in messages %}
{%- set role = 'ipython' if message.role == 'tool' else message.role %}
{{- '<|start_header_id|>' + role + '<|end_header_id|>\\n\\n' }}
{%- if message.tool_calls %}
{%- set call = message.tool_calls[0].function %}
{{- '{"name": "' + call.name + '", "parameters": ' + (call.arguments | tojson) + '}<|eot_id|>' }}
{%- elif message.role == 'tool' %}{{- (message.content | tojson) + '<|eot_id|>' }}
{%- else %}{{- message.content | trim + '<|eot_id|>' }}{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}`,
    vocab: {
      control: ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
      bos: "<|begin_of_text|>",
      eos: "<|eot_id|>",
      addBos: true,
    },
    openers: ["<|start_header_id|>"],
    user: "<|start_header_id|>user<|end_header_id|>\n\n",
  },
  /** No system role, no tools; every run of line breaks is a USER_DEFINED token. */
  gemma: {
    template: `{{- bos_token }}
{%- if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{%- endif %}
{%- for message in messages %}
{%- if message.role not in ['user', 'assistant'] %}{{ raise_exception('Only user and assistant') }}{%- endif %}
{{- '<start_of_turn>' + ('model' if message.role == 'assistant' else 'user') + '\\n' + message.content | trim + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<start_of_turn>model\\n' }}{%- endif %}`,
    vocab: {
      control: ["<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"],
      userDefined: ["\n\n", "\n\n\n", "<table>"],
      bos: "<bos>",
      eos: "<eos>",
      addBos: true,
      addSpace: false,
    },
    openers: ["<start_of_turn>"],
    user: "<start_of_turn>user\n",
  },
  /** SentencePiece's space in front; call ids of exactly nine characters; replies open with nothing. */
  mistral: {
    template: `{{- bos_token }}
{%- for message in messages %}
{%- if message.role == 'user' %}{{- '[INST]' + message.content + '[/INST]' }}
{%- elif message.role == 'system' %}{{- '[SYSTEM_PROMPT]' + message.content + '[/SYSTEM_PROMPT]' }}
{%- elif message.role == 'tool' %}
{%- if message.tool_call_id | length != 9 %}{{ raise_exception('Call ids must have 9 characters') }}{%- endif %}
{{- '[TOOL_RESULTS]' + message.tool_call_id + '[TOOL_CONTENT]' + message.content + '[/TOOL_RESULTS]' }}
{%- elif message.tool_calls %}
{{- '[TOOL_CALLS]' + message.tool_calls[0].function.name + '[ARGS]' + (message.tool_calls[0].function.arguments | tojson) + eos_token }}
{%- else %}{{- message.content + eos_token }}{%- endif %}
{%- endfor %}`,
    vocab: {
      control: [
        "<s>",
        "</s>",
        "[INST]",
        "[/INST]",
        "[SYSTEM_PROMPT]",
        "[/SYSTEM_PROMPT]",
        "[TOOL_CALLS]",
      ].concat(["[ARGS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CONTENT]"]),
      bos: "<s>",
      eos: "</s>",
      addBos: true,
      addSpace: true,
    },
    openers: ["[INST]", "[TOOL_CALLS]", "[TOOL_RESULTS]"],
    user: "[INST]",
  },
  /** Messages open with a token of their own role; arguments must be a string. */
  deepseek: {
    template: `{{- bos_token }}
{%- for message in messages %}
{%- if message.role == 'system' %}{{- message.content }}
{%- elif message.role == 'user' %}{{- '<｜User｜>' + message.content }}
{%- elif message.role == 'tool' %}{{- '<｜tool▁output▁begin｜>' + message.content + '<｜tool▁output▁end｜>' }}
{%- else %}
{{- '<｜Assistant｜>' + message.content }}
{%- for call in message.tool_calls or [] %}
{{- '<｜tool▁call▁begin｜>' + call.function.name + '<｜tool▁sep｜>' + call.function.arguments + '<｜tool▁call▁end｜>' }}
{%- endfor %}
{{- '<｜end▁of▁sentence｜>' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt and messages[-1].role != 'tool' %}{{- '<｜Assistant｜><think>\\n' }}{%- endif %}`,
    vocab: {
      control: [
        "<｜begin▁of▁sentence｜>",
        "<｜end▁of▁sentence｜>",
        "<｜User｜>",
        "<｜Assistant｜>",
        "<｜tool▁output▁begin｜>",
        "<｜tool▁output▁end｜>",
        "<｜tool▁call▁begin｜>",
        "<｜tool▁sep｜>",
        "<｜tool▁call▁end｜>",
      ],
      userDefined: ["<think>", "</think>"],
      bos: "<｜begin▁of▁sentence｜>",
      eos: "<｜end▁of▁sentence｜>",
      addBos: true,
    },
    openers: ["<｜User｜>", "<｜Assistant｜>", "<｜tool▁output▁begin｜>"],
    user: "<｜User｜>",
  },
  /** Special tokens that eat the white space behind them. */
  phi3: {
    template: `{%- for message in messages %}
{{- '<|' + message.role + '|>\\n' + message.content + '<|end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>\\n' }}{%- endif %}`,
    vocab: {
      control: ["<s>", "<|endoftext|>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"],
      bos: "<s>",
      eos: "<|endoftext|>",
      addBos: true,
      addSpace: true,
      eatRight: ["<|system|>", "<|user|>", "<|assistant|>", "<|end|>"],
    },
    openers: ["<|user|>", "<|assistant|>"],
    user: "<|user|> ",
  },
  /** No special tokens at all. */
  plain: {
    template: `{%- for message in messages %}{{- message.role + ': ' + message.content + '\\n\\n' }}{%- endfor %}
{%- if add_generation_prompt %}{{- 'assistant:' }}{%- endif %}`,
    vocab: {},
    openers: [],
    user: "",
  },
} satisfies Record<string, Family>;

export type FamilyName = keyof typeof FAMILIES;

export const FAMILY_NAMES = Object.keys(FAMILIES) as FamilyName[];

export function family(name: FamilyName): Family {
  return FAMILIES[name];
}

export function vocabOf(name: FamilyName): FakeVocab {
  return new FakeVocab(family(name).vocab);
}
