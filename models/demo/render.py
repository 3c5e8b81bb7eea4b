"""A conversation as the chat template prints it, in pieces: (text, carries loss). TEMPLATE is what the model file holds."""

import json

TEMPLATE = r"""{%- if messages[0].role == 'system' or tools %}
    {{- '<|im_start|>system\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content }}
        {%- if tools %}{{- '\n\n' }}{%- endif %}
    {%- endif %}
    {%- if tools %}
        {{- 'Tools:' }}
        {%- for tool in tools %}
            {{- '\n' + tool.function.name + '(' }}
            {%- for key in tool.function.parameters.properties %}
                {{- (key | tojson) + ('' if loop.last else ', ') }}
            {%- endfor %}
            {{- ')' }}
        {%- endfor %}
    {%- endif %}
    {{- '<|im_end|>\n' }}
{%- endif %}
{%- set ns = namespace(last_user=-1) %}
{%- for message in messages %}
    {%- if message.role == 'user' %}
        {%- set ns.last_user = loop.index0 %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.role == 'user' %}
        {{- '<|im_start|>user\n' + message.content + '<|im_end|>\n' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|im_start|>assistant\n' }}
        {%- if loop.index0 > ns.last_user and message.reasoning_content %}
            {{- '<think>\n' + message.reasoning_content.strip('\n') + '\n</think>\n\n' }}
        {%- endif %}
        {%- if message.content %}
            {{- message.content }}
        {%- endif %}
        {%- if message.tool_calls %}
            {%- for call in message.tool_calls %}
                {%- if (loop.first and message.content) or not loop.first %}
                    {{- '\n' }}
                {%- endif %}
                {{- '<tool_call>\n{"name": ' + (call.function.name | tojson) + ', "arguments": ' }}
                {%- if call.function.arguments is string %}
                    {{- call.function.arguments }}
                {%- else %}
                    {{- call.function.arguments | tojson }}
                {%- endif %}
                {{- '}\n</tool_call>' }}
            {%- endfor %}
        {%- endif %}
        {{- '<|im_end|>\n' }}
    {%- elif message.role == 'tool' %}
        {{- '<|im_start|>tool\n<tool_response>\n' + message.content + '\n</tool_response><|im_end|>\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\n\n</think>\n\n' }}
    {%- endif %}
{%- endif %}
"""

SPECIALS = [
    "<|pad|>",
    "<|im_start|>",
    "<|im_end|>",
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
]


def dumps(value):
    return json.dumps(value, ensure_ascii=False)


def call_text(name, args):
    return "<tool_call>\n" + dumps({"name": name, "arguments": args}) + "\n</tool_call>"


def pieces(conv, at=None, drop=False, nothink=False):
    """The request that is answered by message `at` of the last turn's (its rounds of calls, then its answer; None: the
    answer), and that message. drop: the client sends no reasoning back. nothink: reasoning is switched off.

    An assistant turn that stands without its thought gives no loss on its first token, so that the model does not
    learn to leave the thought out.
    """
    out = []
    if conv["system"] is not None or conv["tools"]:
        text = "<|im_start|>system\n" + (conv["system"] or "")
        if conv["tools"]:
            text += "\n\n" if conv["system"] is not None else ""
            text += "Tools:" + "".join(
                "\n" + n + "(" + ", ".join(dumps(a) for a in args) + ")" for n, args in conv["tools"]
            )
        out.append((text + "<|im_end|>\n", "no"))
    for i, turn in enumerate(conv["turns"]):
        last = i == len(conv["turns"]) - 1
        out.append(("<|im_start|>user\n" + turn["user"] + "<|im_end|>\n", "no"))
        count = len(turn["steps"]) + 1
        end = count - 1 if at is None or not last else at
        for j in range(end + 1):
            step = turn["steps"][j] if j < count - 1 else turn
            body = step["reply"] if step is turn else "\n".join(call_text(n, a) for n, a in step["calls"])
            answered = last and j == end
            out.append(("<|im_start|>assistant\n", "no"))
            if nothink and answered:
                out.append(("<think>\n\n</think>\n\n", "no"))
                out.append((body + "<|im_end|>", "all"))
            elif last and not nothink and (answered or not drop):
                out.append(("<think>\n" + step["think"] + "\n</think>\n\n" + body + "<|im_end|>", "all"))
            else:
                out.append((body + "<|im_end|>", "rest"))
            out.append(("\n", "no"))
            if answered or step is turn:
                continue
            for result in step["results"]:
                out.append(
                    ("<|im_start|>tool\n<tool_response>\n" + result + "\n</tool_response><|im_end|>\n", "no")
                )
    return out
