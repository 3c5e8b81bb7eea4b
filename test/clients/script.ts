/**
 * What the scripted model says: each step of the user's gets calls of the client's own shell, each result an
 * answer, and whatever else a client asks for (titles, topics, summaries) something short that fits.
 * Arguments are spelled as a model may spell them and no client would: odd spaces, keys against the schema's order.
 */
import { type Body, type Entry, isObject, type JsonObject, listOf, type ToolShown } from "./body.ts";

/** Names of the clients' shells, and of the argument that takes the command. */
const SHELLS = ["Bash", "bash", "run_shell_command", "exec_command", "shell", "shell_command"];
const COMMANDS = ["command", "cmd"];
/** Names of the tools that start a subagent. */
const AGENTS = ["Agent", "Task", "agent", "task"];

export const STEPS = 4;
/** In this step two calls stand in one reply. */
const PARALLEL_STEP = 2;
/** This step sends a subagent, where the client has some. */
const AGENT_STEP = 4;

export function stepPrompt(step: number): string {
  return `Step ${step}: look at the note number ${step} with your shell, and tell me in one sentence what it says.`;
}

/** The reply's text, as the model writes it. */
export function scriptedReply(body: Body): string {
  const schema = body.answerSchema;
  if (schema !== undefined) return instanceText(schema);
  const shell = body.tools.find(isShell);
  const last = body.entries.findLast((entry) => entry.kind === "result" || taskOf(entry) !== null);
  if (shell === undefined || last === undefined) return "Notes about the workshop.";
  if (last.kind === "result") {
    const thoughts = thought(`The note is there, and it is about ${body.entries.length} things.`);
    return `${thoughts}The note lists what is left to do in the workshop, with its dates.\n\n`;
  }
  return calling(body, shell, taskOf(last) ?? { step: 0, isErrand: false });
}

function calling(body: Body, shell: ToolShown, { step, isErrand }: Task): string {
  const thoughts = thought(`I have to look at note ${step}: that is ${step * 7} of them at most.`);
  const agent = body.tools.find((tool) => AGENTS.includes(tool.name));
  if (step === AGENT_STEP && !isErrand && agent !== undefined) {
    const errand = `Errand ${step}: look at the note number ${step} with ./look ${step}, and say what it says.`;
    return thoughts + callText(agent, errand);
  }
  const notes = step === PARALLEL_STEP ? [step, step + STEPS] : [step];
  const said = step === STEPS - 1 ? `I look at note ${step} now.\n\n` : "";
  return thoughts + said + notes.map((note) => callText(shell, `./look ${note}`)).join("\n");
}

export function isShell(tool: ToolShown): boolean {
  return SHELLS.includes(tool.name);
}

/** What is asked for in a message: a step of the user's, or a subagent's errand. */
interface Task {
  readonly step: number;
  readonly isErrand: boolean;
}

export function taskOf(entry: Entry): Task | null {
  if (entry.kind !== "user") return null;
  const tasks = [...entry.text.matchAll(/(Step|Errand) (\d+): look at the note/g)];
  const last = tasks.at(-1);
  return last === undefined ? null : { step: Number(last[2]), isErrand: last[1] === "Errand" };
}

function thought(text: string): string {
  return `<think>\n${text}\nThen I say so.\n</think>\n\n`;
}

/** `task` is the command, or the agent's prompt. */
function callText({ name, namespace, schema }: ToolShown, task: string): string {
  const called = namespace === undefined ? name : `${namespace}__${name}`;
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = listOf(schema["required"]);
  const args: string[] = [];
  for (const [key, property] of Object.entries(properties).reverse()) {
    const type = isObject(property) ? property["type"] : "";
    if (COMMANDS.includes(key) || key === "prompt") {
      args.push(`"${key}":${JSON.stringify(type === "array" ? ["sh", "-c", task] : task)}`);
    } else if (key === "subagent_type" && required.includes(key)) {
      args.push(`"${key}": "general"`);
    } else if (required.includes(key) || key === "description") {
      args.push(`"${key}" : ${JSON.stringify(type === "boolean" ? false : "Look at a note")}`);
    }
  }
  return `<tool_call>\n{"name": "${called}", "arguments": {${args.join(",  ")}}}\n</tool_call>`;
}

/** Enough for titles and topics: objects of texts, numbers and truth values. */
function instanceText(schema: JsonObject): string {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const fields = Object.entries(properties).map(([key, property]) => {
    const type = isObject(property) ? property["type"] : "";
    if (type === "boolean") return [key, false];
    if (type === "number" || type === "integer") return [key, 1];
    return [key, type === "array" ? [] : "Notes of the workshop"];
  });
  return JSON.stringify(Object.fromEntries(fields));
}
