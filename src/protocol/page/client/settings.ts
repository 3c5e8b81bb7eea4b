/** What the chat asks for beside its messages. */
import { byId } from "./dom.ts";

const EXAMPLE = [
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "Weather of a city",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

export interface Settings {
  /** "" for none. */
  readonly system: string;
  /** Fields of the request's body. */
  readonly fields: object;
}

/** Throws a sentence where a field holds what cannot be sent. */
export function settingsNow(): Settings {
  const temperature = byId("temperature", HTMLInputElement).value;
  const max = byId("max", HTMLInputElement).value;
  const tools = byId("tools", HTMLTextAreaElement).value.trim();
  return {
    system: byId("system", HTMLTextAreaElement).value,
    fields: {
      ...(temperature === "" ? {} : { temperature: Number(temperature) }),
      ...(max === "" ? {} : { max_completion_tokens: Number(max) }),
      ...(tools === "" ? {} : { tools: parsed(tools) }),
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("The tools are no JSON: see Settings.");
  }
}

export function offerExample(): void {
  byId("example", HTMLButtonElement).addEventListener("click", () => {
    byId("tools", HTMLTextAreaElement).value = JSON.stringify(EXAMPLE, null, 2);
  });
}
