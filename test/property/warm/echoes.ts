/**
 * What clients do to a reply before they send it back, from what they were seen to do: each takes the message
 * as it came over the wire (JSON text) and gives the message that it sends (JSON text). Numbers and key order
 * are lost wherever a client parses in JavaScript, because it does.
 */
import type { Habits } from "../../../src/warm/WarmJob.ts";

/** Key orders that a client's own schemas impose, by tool. */
export type SchemaOrder = Readonly<Record<string, readonly string[]>>;

export interface TestClient {
  readonly name: string;
  /** `wire` is `choices[0].message`. */
  echo(wire: string, order: SchemaOrder): string;
  /** How it sends texts of its own. */
  readonly texts: "string" | "blocks";
  readonly habits: Habits;
}

interface WireCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

interface WireMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly WireCall[];
}

type Arguments = "reserialised" | "schema-order" | "raw" | "python";

interface Doing {
  /** Under which name reasoning goes back; null where it is dropped. */
  readonly reasoning: string | null;
  readonly trimsReasoning?: boolean;
  readonly arguments: Arguments;
  /** What stands for no text beside calls. */
  readonly noText: null | "" | "missing";
  readonly blankIsNone?: boolean;
  readonly content?: "string" | "blocks";
}

function echoAs(doing: Doing): TestClient["echo"] {
  return (wire, order) => {
    const message: WireMessage = JSON.parse(wire);
    const sent: Record<string, unknown> = { role: "assistant" };
    const blank = (message.content ?? "").trim() === "";
    const text = message.content === "" || (blank && doing.blankIsNone) ? null : message.content;
    if (text !== null) sent["content"] = doing.content === "blocks" ? [{ type: "text", text }] : text;
    else if (doing.noText !== "missing") sent["content"] = doing.noText;
    if (message.reasoning_content !== undefined && doing.reasoning !== null) {
      const { reasoning_content: thought } = message;
      sent[doing.reasoning] = doing.trimsReasoning ? thought.trim() : thought;
    }
    if (message.tool_calls !== undefined) {
      sent["tool_calls"] = message.tool_calls.map((call) => ({
        ...call,
        function: { ...call.function, arguments: argumentsAs(doing.arguments, call, order) },
      }));
    }
    return JSON.stringify(sent);
  };
}

function argumentsAs(how: Arguments, call: WireCall, order: SchemaOrder): string {
  const text = call.function.arguments;
  if (how === "raw") return text;
  try {
    const value: unknown = JSON.parse(text);
    if (how === "python") return respaced(text);
    return JSON.stringify(how === "schema-order" ? inOrder(value, order[call.function.name] ?? []) : value);
  } catch {
    return text;
  }
}

function inOrder(value: unknown, keys: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  const known = keys.flatMap((key) => entries.filter(([name]) => name === key));
  return Object.fromEntries([...known, ...entries.filter(([name]) => !keys.includes(name))]);
}

/** `json.dumps(json.loads(text))` for the numbers of these tests: spaces change, digits and order do not. */
function respaced(text: string): string {
  let out = "";
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (inString) {
      out += char;
      if (char === "\\") {
        at += 1;
        out += text[at] ?? "";
      } else if (char === '"') inString = false;
    } else if (char === '"') {
      inString = true;
      out += char;
    } else if (char === "," || char === ":") out += `${char} `;
    else if (!/\s/.test(char)) out += char;
  }
  return out;
}

const kept = (numbers: Habits["numbers"]): Habits => ({ reasoning: "kept", numbers });
const dropped = (numbers: Habits["numbers"]): Habits => ({ reasoning: "dropped", numbers });

export const clients: readonly TestClient[] = [
  {
    name: "AI SDK, compatible provider: keeps, schema order, null",
    echo: echoAs({ reasoning: "reasoning_content", arguments: "schema-order", noText: null }),
    texts: "string",
    habits: kept("javascript"),
  },
  {
    name: "AI SDK, OpenAI provider: drops, schema order, null",
    echo: echoAs({ reasoning: null, arguments: "schema-order", noText: null }),
    texts: "string",
    habits: dropped("javascript"),
  },
  {
    name: "opencode: keeps, compact, empty string",
    echo: echoAs({ reasoning: "reasoning_content", arguments: "reserialised", noText: "" }),
    texts: "string",
    habits: kept("javascript"),
  },
  {
    name: "qwen-code: keeps trimmed, compact, blocks",
    echo: echoAs({
      reasoning: "reasoning_content",
      trimsReasoning: true,
      arguments: "reserialised",
      noText: "",
    }),
    texts: "blocks",
    habits: kept("javascript"),
  },
  {
    name: "pi: keeps in another field, blank is null, blocks",
    echo: echoAs({
      reasoning: "reasoning",
      arguments: "reserialised",
      noText: null,
      blankIsNone: true,
      content: "blocks",
    }),
    texts: "blocks",
    habits: kept("javascript"),
  },
  {
    name: "Continue and LangChain: drop, compact",
    echo: echoAs({ reasoning: null, arguments: "reserialised", noText: "" }),
    texts: "string",
    habits: dropped("javascript"),
  },
  {
    name: "crush: keeps, arguments as they came",
    echo: echoAs({ reasoning: "reasoning_content", arguments: "raw", noText: "missing" }),
    texts: "string",
    habits: kept("as-sent"),
  },
  {
    name: "a Python client: drops, spaced arguments, numbers as they came",
    echo: echoAs({ reasoning: null, arguments: "python", noText: null }),
    texts: "string",
    habits: dropped("as-sent"),
  },
  {
    name: "a Python client: keeps, spaced arguments, blocks",
    echo: echoAs({ reasoning: "reasoning_content", arguments: "python", noText: "", content: "blocks" }),
    texts: "blocks",
    habits: kept("as-sent"),
  },
];
