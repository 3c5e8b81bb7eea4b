/** Mastra: an agent with a tool, given its messages anew at each step. */
import { bash, INSTRUCTIONS, type Loose, runProgram, SHELL } from "./program.ts";

await runProgram(async ({ baseURL, prompt, history, load, keep }) => {
  const { Agent } = await load("@mastra/core/agent");
  const { createTool } = await load("@mastra/core/tools");
  const { z } = await load("zod");
  const shell = createTool({
    id: SHELL.name,
    description: SHELL.description,
    inputSchema: z.object({ command: z.string() }),
    execute: async (input: Loose) => await bash(input.context ?? input),
  });
  const agent = new Agent({
    id: "bookkeeper",
    name: "bookkeeper",
    instructions: INSTRUCTIONS,
    model: { id: "warmturn/local", url: baseURL, apiKey: "none" },
    tools: { bash: shell },
  });
  const messages: Loose[] = [...(history ?? []), { role: "user", content: prompt }];
  const result = await agent.generate(messages, { maxSteps: 5 });
  await keep([...messages, ...result.response.messages]);
});
