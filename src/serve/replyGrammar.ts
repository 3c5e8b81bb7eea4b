/**
 * The GBNF that forces calls in the Hermes/Qwen form: reasoning first where the model reasons, then one call
 * or several of the named tools, with any JSON object as arguments.
 */
export interface ForcedCalls {
  readonly names: readonly string[];
  readonly parallel: boolean;
  /** The prompt's end has opened the reasoning: it has to be closed first. */
  readonly opensReasoning: boolean;
}

export function replyGrammar(forced: ForcedCalls): string {
  const names = forced.names.map((name) => literal(JSON.stringify(name))).join(" | ");
  const more = forced.parallel ? ' ("\\n" call)*' : "";
  const think = forced.opensReasoning ? "think" : '("<think>" think)?';
  return [
    `root ::= ${think} "\\n"? "\\n"? call${more}`,
    `call ::= ${literal('<tool_call>\n{"name": ')} name ${literal(', "arguments": ')} object ${literal("}\n</tool_call>")}`,
    `name ::= ${names}`,
    ...thinkRules(),
    ...JSON_RULES,
  ].join("\n");
}

/**
 * Any text up to and with `</think>`: rule k has seen k characters of the tag. GBNF has no "anything but this
 * word". A `<|` is left out, so that no message opener can be written there.
 */
function thinkRules(): string[] {
  const tag = "</think>";
  const rules = ['think ::= [^<] think | "<" think1'];
  for (let seen = 1; seen < tag.length; seen += 1) {
    const next = tag.charAt(seen);
    const others = seen === 1 ? `[^<|${next}]` : `[^<${next}]`;
    const onward = seen + 1 === tag.length ? `"${next}"` : `"${next}" think${seen + 1}`;
    rules.push(`think${seen} ::= ${others} think | "<" think1 | ${onward}`);
  }
  return rules;
}

const JSON_RULES: readonly string[] = [
  'object ::= "{" ws (pair ("," ws pair)*)? "}"',
  'pair ::= string ":" ws value',
  'array ::= "[" ws (value ("," ws value)*)? "]"',
  'value ::= (object | array | string | number | "true" | "false" | "null") ws',
  'string ::= "\\"" char* "\\""',
  'char ::= [^"\\\\\\x00-\\x1f\\x7f] | "\\\\" (["\\\\/bfnrt] | "u" hex hex hex hex)',
  "hex ::= [0-9a-fA-F]",
  'number ::= "-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,3})?',
  // Bounded: a model that likes white space must not get lost in it.
  'ws ::= (" " | "\\n" [ \\t]{0,20})?',
];

function literal(text: string): string {
  const escaped = text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r");
  return `"${escaped}"`;
}
