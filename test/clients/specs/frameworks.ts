/** Frameworks that programs are written with: each by a small program of ours. */
import { join } from "node:path";
import type { ClientSpec } from "./ClientSpec.ts";

function framework(name: string, program: string, packages: ClientSpec["packages"]): ClientSpec {
  return {
    name,
    packages,
    needsNode: false,
    files: () => ({}),
    env: () => ({}),
    command: ({ installed, url, home }, _, prompt) => [
      process.execPath,
      join(import.meta.dir, "..", "programs", program),
      installed,
      url,
      home,
      prompt,
    ],
  };
}

export const langChain = framework("LangChain", "langchain.ts", [
  "@langchain/openai@1.6.0",
  "@langchain/core@1.4.0",
]);
export const openAiAgents = framework("OpenAI Agents", "openaiAgents.ts", [
  "@openai/agents@0.20.0",
  "openai@7.59.0",
  "zod@4.1.12",
]);
export const mastra = framework("Mastra", "mastra.ts", ["@mastra/core@1.71.0", "zod@4.1.12"]);
export const llamaIndex = framework("LlamaIndex", "llamaIndex.ts", [
  "llamaindex@0.12.1",
  "@llamaindex/openai@0.4.23",
  "zod@4.1.12",
]);
