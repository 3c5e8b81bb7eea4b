/** The tools that a reply may call, of those that its prompt shows. */
import type { Tool, ToolChoice } from "../chat/Message.ts";

export function callableTools(tools: readonly Tool[], choice: ToolChoice): readonly Tool[] {
  switch (choice.type) {
    case "none":
      return [];
    case "named":
      return tools.filter(({ name }) => name === choice.name);
    default: {
      const { allowed } = choice;
      return allowed === undefined ? tools : tools.filter(({ name }) => allowed.includes(name));
    }
  }
}
