/** LlamaIndex: its model with a tool, and the loop over what it answers. */
import { bash, INSTRUCTIONS, type Loose, PARAMETERS, runProgram, SHELL } from "./program.ts";

await runProgram(async ({ baseURL, prompt, history, load, keep }) => {
  const { OpenAI } = await load("@llamaindex/openai");
  const { tool } = await load("llamaindex");
  const shell = tool({ ...SHELL, parameters: PARAMETERS, execute: bash });
  const model = new OpenAI({ model: "local", apiKey: "none", baseURL });
  // It knows by the model's name whether there are tools.
  Object.defineProperty(model, "supportToolCall", { value: true });
  const messages: Loose[] = [
    ...(history ?? [{ role: "system", content: INSTRUCTIONS }]),
    { role: "user", content: prompt },
  ];
  for (;;) {
    const { message } = await model.chat({ messages, tools: [shell], stream: false });
    messages.push(message);
    const calls: Loose[] = message.options?.toolCall ?? [];
    if (calls.length === 0) break;
    for (const { id, input } of calls) {
      const result = await bash(typeof input === "string" ? JSON.parse(input) : input);
      messages.push({
        role: "user",
        content: result,
        options: { toolResult: { id, result, isError: false } },
      });
    }
  }
  await keep(messages);
});
