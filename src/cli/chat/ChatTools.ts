/** The tools that a chat offers, run in this process. */
import { fromPlain } from "../../json/plainJson.ts";
import { writeJson } from "../../json/writeJson.ts";
import { parsed } from "./wire.ts";
import type { ToolCall, ToolSpec } from "./wireMessages.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Name and meaning of each argument; all are texts and required. */
  readonly parameters: Readonly<Record<string, string>>;
  /** What goes back as JSON. Throws an Error whose message goes back instead. */
  readonly run: (given: Readonly<Record<string, string>>) => object;
}

export class ChatTools {
  readonly specs: readonly ToolSpec[];
  readonly #tools: readonly Tool[];

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
    this.specs = tools.map(specOf);
  }

  get names(): readonly string[] {
    return this.#tools.map((tool) => tool.name);
  }

  /** The result's text. What goes wrong is a result too: the model may do better next. */
  run(call: ToolCall): string {
    const { name } = call.function;
    const tool = this.#tools.find((one) => one.name === name);
    if (tool === undefined) return written({ error: `there is no tool ${name}` });
    try {
      return written(tool.run(argumentsOf(call, tool)));
    } catch (error) {
      return written({ error: error instanceof Error ? error.message : String(error) });
    }
  }
}

/** As the server writes calls, and Python its JSON: with blanks. */
function written(value: object): string {
  return writeJson(fromPlain(value));
}

function argumentsOf(call: ToolCall, tool: Tool): Record<string, string> {
  const value = parsed(call.function.arguments);
  const given = new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
  return Object.fromEntries(
    Object.keys(tool.parameters).map((name) => {
      const one = given.get(name);
      if (typeof one !== "string" && typeof one !== "number")
        throw new Error(`the argument ${name} is missing`);
      return [name, String(one)];
    }),
  );
}

function specOf({ name, description, parameters }: Tool): ToolSpec {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, meaning]) => [key, { type: "string", description: meaning }]),
  );
  return {
    type: "function",
    function: {
      name,
      description,
      parameters: { type: "object", properties, required: Object.keys(parameters) },
    },
  };
}
