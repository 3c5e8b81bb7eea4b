/**
 * Chat templates written for these tests, one for each way in which real ones make the next prompt differ from
 * "the last prompt and the reply": what stands after what, what is trimmed, dropped, moved or refused.
 */
const callBody =
  '{"name": "\' + call.function.name + \'", "arguments": \' + (call.function.arguments | tojson) + \'}';

/** ChatML; old reasoning always stays; a tool result is a message of its own. */
const chatmlKeeps = `{%- if tools %}{{ '<|im_start|>system\\n' }}
{%- if messages[0].role == 'system' %}{{ messages[0].content + '\\n\\n' }}{% endif %}
{{- 'Tools:\\n' }}{% for tool in tools %}{{ (tool | tojson) + '\\n' }}{% endfor %}{{ '<|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}{{ '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'system' and loop.first %}
{%- elif message.role == 'assistant' %}
{{- '<|im_start|>assistant\\n' }}
{%- if message.reasoning_content %}{{ '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}{% endif %}
{{- message.content or '' }}
{%- for call in message.tool_calls or [] %}{{ '\\n<tool_call>\\n${callBody}\\n</tool_call>' }}{% endfor %}
{{- '<|im_end|>\\n' }}
{%- else %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

/**
 * ChatML as newer reasoning models have it: reasoning only since the last user message, tool results grouped
 * into a user turn, and a generation prompt that opens the reasoning which the history may not have.
 */
const chatmlDrops = `{%- if tools %}{{ '<|im_start|>system\\n' }}
{%- if messages[0].role == 'system' %}{{ messages[0].content + '\\n\\n' }}{% endif %}
{{- 'Tools:\\n' }}{% for tool in tools %}{{ (tool | tojson) + '\\n' }}{% endfor %}{{ '<|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}{{ '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- set ns = namespace(last=-1) %}
{%- for message in messages %}{% if message.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}
{%- for message in messages %}
{%- if message.role == 'system' and loop.first %}
{%- elif message.role == 'assistant' %}
{{- '<|im_start|>assistant\\n' }}
{%- if loop.index0 > ns.last %}{{ '<think>\\n' + (message.reasoning_content or '') + '\\n</think>\\n\\n' }}{% endif %}
{{- (message.content or '') | trim }}
{%- for call in message.tool_calls or [] %}{{ '\\n<tool_call>\\n${callBody}\\n</tool_call>' }}{% endfor %}
{{- '<|im_end|>\\n' }}
{%- elif message.role == 'tool' %}
{%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}{{ '<|im_start|>user' }}{% endif %}
{{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
{%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{ '<|im_end|>\\n' }}{% endif %}
{%- else %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n' }}{% endif %}`;

/** Roles between header tokens, trimmed texts, one call a reply, calls without their text, results as JSON. */
const headers = `{{- bos_token }}
{%- if messages[0].role == 'system' or tools %}{{ '<|start_header_id|>system<|end_header_id|>\\n\\n' }}
{%- for tool in tools or [] %}{{ (tool | tojson) + '\\n\\n' }}{% endfor %}
{%- if messages[0].role == 'system' %}{{ messages[0].content | trim }}{% endif %}{{ '<|eot_id|>' }}{% endif %}
{%- for message in messages %}
{%- if message.role == 'system' and loop.first %}
{%- elif message.tool_calls %}
{%- if message.tool_calls | length > 1 %}{{ raise_exception('One call at a time.') }}{% endif %}
{%- set call = message.tool_calls[0] %}
{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' + '${callBody}<|eot_id|>' }}
{%- elif message.role == 'tool' %}
{{- '<|start_header_id|>ipython<|end_header_id|>\\n\\n' + (message.content | tojson) + '<|eot_id|>' }}
{%- else %}
{{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + (message.content | trim) + '<|eot_id|>' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}`;

/** The assistant is "model", no system role, no tool role, roles must alternate. */
const turns = `{{- bos_token }}
{%- if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- for message in messages %}
{%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate.') }}{% endif %}
{%- set role = 'model' if message.role == 'assistant' else message.role %}
{{- '<start_of_turn>' + role + '\\n' + (message.content | trim) + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}`;

/**
 * A history by itself is no prefix of the next prompt: the last message is closed otherwise than those before,
 * an instruction follows it, and a call is closed only by what answers it.
 */
const tail = `{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' }}
{%- if message.reasoning_content %}{{ '<think>' + message.reasoning_content + '</think>' }}{% endif %}
{{- message.content or '' }}
{%- for call in message.tool_calls or [] %}{{ '<tool_call>${callBody}</tool_call>' }}{% endfor %}
{%- if loop.last %}{{ '<|im_end|>' }}{% else %}{{ ' \\n<|im_end|>\\n' }}{% endif %}
{%- endfor %}
{{- '<|im_start|>system\\nAnswer the last message, and nothing else, in its own language.<|im_end|>' }}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

/** Tools stand in front of the last user message, so each next one moves them. */
const moving = `{{- bos_token }}
{%- set ns = namespace(last=-1) %}
{%- for message in messages %}{% if message.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}
{%- for message in messages %}
{%- if message.role == 'system' %}{{ '[SYSTEM_PROMPT]' + message.content + '[/SYSTEM_PROMPT]' }}
{%- elif message.role == 'user' %}
{%- if tools and loop.index0 == ns.last %}{{ '[AVAILABLE_TOOLS]' + (tools | tojson) + '[/AVAILABLE_TOOLS]' }}{% endif %}
{{- '[INST]' + message.content + '[/INST]' }}
{%- elif message.role == 'tool' %}{{ '[TOOL_RESULTS]' + message.content + '[/TOOL_RESULTS]' }}
{%- else %}
{{- message.content or '' }}
{%- for call in message.tool_calls or [] %}{{ '[TOOL_CALLS]' + '${callBody}' }}{% endfor %}
{{- eos_token }}
{%- endif %}
{%- endfor %}`;

export interface TestTemplate {
  readonly name: string;
  readonly source: string;
  /** Whether any tool conversation is rendered at all. */
  readonly tools: boolean;
  /** Calls in one reply at most. */
  readonly callsMax: number;
}

export const templates: readonly TestTemplate[] = [
  { name: "chatml, reasoning kept", source: chatmlKeeps, tools: true, callsMax: 2 },
  {
    name: "chatml, reasoning dropped at the next user message",
    source: chatmlDrops,
    tools: true,
    callsMax: 2,
  },
  { name: "headers", source: headers, tools: true, callsMax: 1 },
  { name: "turns without system and tools", source: turns, tools: false, callsMax: 0 },
  { name: "history is no prefix", source: tail, tools: true, callsMax: 2 },
  { name: "tools move", source: moving, tools: true, callsMax: 2 },
];

/** Special tokens of all of them; the tags that models write are matched in plain text too. */
export const specialTokens = {
  control: [
    "<bos>",
    "<eos>",
    "<|im_start|>",
    "<|im_end|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[INST]",
    "[/INST]",
    "[TOOL_CALLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
  ],
  userDefined: ["<tool_call>", "</tool_call>", "<think>", "</think>"],
} as const;
