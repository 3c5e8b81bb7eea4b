/** OpenAI's agents SDK, over the Responses API, with the history that a run hands back. */
import { bash, INSTRUCTIONS, PARAMETERS, runProgram, SHELL } from "./program.ts";

await runProgram(async ({ baseURL, prompt, history, load, keep }) => {
  const { Agent, run, tool, setDefaultOpenAIClient, setTracingDisabled } = await load("@openai/agents");
  const { default: OpenAI } = await load("openai");
  setDefaultOpenAIClient(new OpenAI({ baseURL, apiKey: "none" }));
  setTracingDisabled(true);
  const shell = tool({ ...SHELL, parameters: PARAMETERS, strict: false, execute: bash });
  const agent = new Agent({ name: "bookkeeper", instructions: INSTRUCTIONS, model: "local", tools: [shell] });
  const result = await run(agent, [...(history ?? []), { role: "user", content: prompt }]);
  await keep(result.history);
});
