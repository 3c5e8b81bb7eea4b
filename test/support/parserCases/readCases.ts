/**
 * The cases of llama.cpp's `tests/test-chat.cpp`, read from a checkout: a small interpreter of what its test
 * functions do with `peg_tester`, messages and tools. Nothing of that file is kept here; what this cannot read is
 * passed over, and the count says how many came out.
 */
import { type CppToken, cppTokens } from "./cppTokens.ts";

export interface ExpectedCall {
  readonly name: string;
  readonly arguments: string;
  readonly id: string;
}

export interface ExpectedMessage {
  content: string;
  reasoning: string;
  calls: ExpectedCall[];
}

export interface ParserCase {
  readonly template: string;
  readonly input: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: string;
  }[];
  readonly thinking: boolean;
  /** `none`: reasoning is asked to stay in the text. */
  readonly reasoning: "none" | "auto";
  readonly partial: boolean;
  readonly schema: boolean;
  readonly continues: "text" | "reasoning" | null;
  readonly messages: readonly ExpectedMessage[];
  readonly expected: ExpectedMessage;
}

type Value = string | boolean | null | readonly Value[] | { readonly [key: string]: Value };
type Environment = Map<string, Value>;

export function readCases(source: string): ParserCase[] {
  return new CaseReader(cppTokens(source)).read();
}

const MESSAGE_FIELDS = ["role", "content", "content_parts", "tool_calls", "reasoning_content"];

class CaseReader {
  readonly #tokens: readonly CppToken[];
  readonly #cases: ParserCase[] = [];
  readonly #functions = new Map<
    string,
    { readonly from: number; readonly to: number; readonly parameter: string }
  >();
  readonly #globals: Environment = new Map();
  #at = 0;

  constructor(tokens: readonly CppToken[]) {
    this.#tokens = tokens;
  }

  read(): ParserCase[] {
    this.#toplevel();
    for (const name of ["test_template_output_peg_parsers"]) this.#call(name, null);
    return this.#cases;
  }

  #text(at = this.#at): string {
    const token = this.#tokens[at];
    return token === undefined || token.kind === "string" ? "" : token.text;
  }

  /** Behind the bracket that closes the one at `at`. */
  #behind(at: number): number {
    let depth = 0;
    for (let i = at; i < this.#tokens.length; i += 1) {
      const text = this.#text(i);
      if ("({[".includes(text) && text !== "") depth += 1;
      if (")}]".includes(text) && text !== "") depth -= 1;
      if (depth === 0) return i + 1;
    }
    return this.#tokens.length;
  }

  /** Functions, and what stands outside of them. */
  #toplevel(): void {
    for (this.#at = 0; this.#at < this.#tokens.length; ) {
      const text = this.#text();
      const isFunction = /^test_\w+$/.test(text) && this.#text(this.#at + 1) === "(";
      if (isFunction) {
        const name = text;
        const close = this.#behind(this.#at + 1);
        const words = this.#tokens.slice(this.#at + 2, close).map((token) => token.text);
        const parameter = words[words.indexOf("&") + 1] ?? "";
        const isBody = this.#text(close) === "{";
        const end = isBody ? this.#behind(close) : close;
        if (isBody) this.#functions.set(name, { from: close, to: end, parameter });
        this.#at = end;
      } else if (text === "(") this.#at = this.#behind(this.#at);
      else if (!this.#definition(this.#globals)) this.#at += 1;
    }
  }

  #call(name: string, argument: Value): void {
    const found = this.#functions.get(name);
    if (found === undefined) return;
    const before = this.#at;
    const scope: Environment = new Map(this.#globals);
    if (argument !== null) scope.set(found.parameter, argument);
    this.#statements(found.from, found.to, scope);
    this.#at = before;
  }

  #statements(from: number, to: number, scope: Environment): void {
    this.#at = from;
    while (this.#at < to) {
      const text = this.#text();
      if (text === "for" && this.#loop(scope)) continue;
      if (this.#text(this.#at + 1) === "(" && this.#functions.has(text)) {
        this.#at += 2;
        const argument = this.#expression(scope);
        const next = this.#at;
        this.#call(text, argument);
        this.#at = next;
      } else if (this.#text(this.#at + 1) === "." && scope.has(text)) this.#member(text, scope);
      else if (!this.#definition(scope)) this.#at += 1;
    }
    this.#at = to;
  }

  /** `for (const auto & x : { … }) { … }` */
  #loop(scope: Environment): boolean {
    const close = this.#behind(this.#at + 1);
    let colon = this.#at;
    while (colon < close && this.#text(colon) !== ":") colon += 1;
    if (colon >= close || this.#text(close) !== "{") return false;
    const name = this.#text(colon - 1);
    this.#at = colon + 1;
    const values = this.#expression(scope);
    const end = this.#behind(close);
    if (Array.isArray(values)) {
      for (const value of values as readonly Value[])
        this.#statements(close, end, new Map(scope).set(name, value));
    }
    this.#at = end;
    return true;
  }

  /** `type name = …;` and `type name{ … };` */
  #definition(scope: Environment): boolean {
    const name = this.#text();
    const next = this.#text(this.#at + 1);
    const isName = /^[a-z]\w*$/.test(name) && this.#at > 0;
    const before = this.#text(this.#at - 1);
    const hasType = /^[\w:]+$/.test(before) || before === "*" || before === "&" || before === ">";
    if (!isName || !hasType || ["return", "else", "case"].includes(before)) return false;
    if (next === "=" && this.#text(this.#at + 2) !== "=") this.#at += 2;
    else if (next === "{" && /^common_chat_(?:tool|msg)$|^>$/.test(before)) this.#at += 1;
    else if (next === ";" && before === "common_chat_msg") {
      scope.set(name, { role: "assistant" });
      this.#at += 2;
      return true;
    } else return false;
    const value = this.#expression(scope);
    scope.set(name, before === "common_chat_msg" ? messageOf(value) : value);
    return true;
  }

  /** `message.field = …;`, `message.list.push_back(…)`, `tester.test(…)…`. */
  #member(name: string, scope: Environment): void {
    const field = this.#text(this.#at + 2);
    const held = scope.get(name) ?? null;
    if (field === "test" && typeof held === "object" && held !== null && "template" in held) {
      this.#at += 4;
      this.#case(String(held["template"]), scope);
      return;
    }
    this.#at += 3;
    if (this.#text() === "=") {
      this.#at += 1;
      const value = this.#expression(scope);
      if (isRecord(held)) scope.set(name, { ...held, [field]: value });
    } else if (this.#text() === "." && this.#text(this.#at + 1) === "push_back") {
      this.#at += 3;
      const value = this.#expression(scope);
      if (isRecord(held)) scope.set(name, { ...held, [field]: [...listOf(held[field]), value] });
    }
  }

  /** From behind `test(`. */
  #case(template: string, scope: Environment): void {
    const input = this.#expression(scope);
    this.#at += 1;
    const set = new Map<string, Value>();
    while (this.#text() === ".") {
      const method = this.#text(this.#at + 1);
      const close = this.#behind(this.#at + 2);
      this.#at += 3;
      set.set(method, this.#text() === ")" ? true : this.#expression(scope));
      this.#at = close;
    }
    if (!set.has("run") || typeof input !== "string") return;
    const expected = expectedOf(messageOf(set.get("expect") ?? {}));
    const content = set.get("expect_content");
    const reasoning = set.get("expect_reasoning");
    const calls = set.get("expect_tool_calls");
    if (typeof content === "string") expected.content = content;
    if (typeof reasoning === "string") expected.reasoning = reasoning;
    if (calls !== undefined) expected.calls = callsOf(calls);
    const continues = set.get("continue_final_message");
    this.#cases.push({
      template,
      input,
      tools: listOf(set.get("tools")).flatMap(toolOf),
      thinking: set.get("enable_thinking") !== false,
      reasoning:
        (set.get("reasoning_format") ?? "COMMON_REASONING_FORMAT_NONE") === "COMMON_REASONING_FORMAT_NONE"
          ? "none"
          : "auto",
      partial: set.get("is_partial") === true,
      schema: set.has("json_schema"),
      continues:
        typeof continues !== "string" ? null : continues.endsWith("REASONING") ? "reasoning" : "text",
      messages: listOf(set.get("messages")).map((one) => expectedOf(messageOf(one))),
      expected,
    });
  }

  /** Stops at what is none: `,`, `)`, `}` or `;`. */
  #expression(scope: Environment): Value {
    let value = this.#term(scope);
    while (this.#text() === "+") {
      this.#at += 1;
      const right = this.#term(scope);
      value = typeof value === "string" && typeof right === "string" ? value + right : null;
    }
    return value;
  }

  #term(scope: Environment): Value {
    const token = this.#tokens[this.#at];
    if (token === undefined) return null;
    if (token.kind === "string") {
      let text = "";
      while (this.#tokens[this.#at]?.kind === "string") text += this.#tokens[this.#at++]?.text ?? "";
      return text;
    }
    if (token.text === "{") return this.#list(scope);
    this.#at += 1;
    const { text } = token;
    if (text === "true" || text === "false") return text === "true";
    const next = this.#text();
    if (next === "(" || next === "{") {
      const args = this.#list(scope);
      return this.#made(text, args, scope);
    }
    return scope.get(text) ?? text;
  }

  #list(scope: Environment): Value[] {
    const end = this.#behind(this.#at) - 1;
    const out: Value[] = [];
    this.#at += 1;
    while (this.#at < end) {
      out.push(this.#expression(scope));
      // What was not understood of it.
      while (this.#at < end && this.#text() !== ",") {
        this.#at =
          "({[".includes(this.#text()) && this.#text() !== "" ? this.#behind(this.#at) : this.#at + 1;
      }
      this.#at += 1;
    }
    this.#at = end + 1;
    return out;
  }

  #made(name: string, args: readonly Value[], scope: Environment): Value {
    const [first = "", second = "", third = "", fourth = "", fifth = ""] = args;
    switch (name) {
      case "peg_tester":
        return { template: first };
      case "std::string":
        return first;
      case "simple_assist_msg":
        return made(first, second, third === "" && fifth === "" ? [] : [[third, fourth, fifth]]);
      case "message_with_tool_calls":
        return made("", "", [[first, second]]);
      case "message_with_tool_calls_and_reasoning":
        return made("", third, [[first, second]]);
      case "message_with_reasoning_and_tool_call":
        return made("", first, [[second, third]]);
      case "message_with_content_and_tool_call":
        return made(first, "", [[second, third]]);
      case "message_with_reasoning_content_and_multiple_tool_calls":
        return made(second, first, listOf(third));
      default:
        return scope.get(name) ?? args;
    }
  }
}

function made(content: Value, reasoning: Value, calls: readonly Value[]): Value {
  return { role: "assistant", content, reasoning_content: reasoning, tool_calls: calls };
}

function isRecord(value: Value): value is { readonly [key: string]: Value } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : [];
}

/** A list of fields in their order is a message, too. */
function messageOf(value: Value): Value {
  if (!Array.isArray(value)) return value;
  return Object.fromEntries(MESSAGE_FIELDS.map((field, i) => [field, (value as readonly Value[])[i] ?? ""]));
}

function textOf(value: Value | undefined): string {
  return typeof value === "string" ? value : "";
}

function expectedOf(value: Value): ExpectedMessage {
  if (!isRecord(value)) return { content: "", reasoning: "", calls: [] };
  return {
    content: textOf(value["content"]),
    reasoning: textOf(value["reasoning_content"]),
    calls: callsOf(value["tool_calls"] ?? []),
  };
}

function callsOf(value: Value): ExpectedCall[] {
  return listOf(value).map((call) => {
    const fields = isRecord(call) ? [call["name"], call["arguments"], call["id"]] : listOf(call);
    return { name: textOf(fields[0]), arguments: textOf(fields[1]), id: textOf(fields[2]) };
  });
}

function toolOf(value: Value): { name: string; description: string; parameters: string }[] {
  const [name = "", description = "", parameters = "{}"] = listOf(value).map(textOf);
  return name === "" ? [] : [{ name, description, parameters }];
}
