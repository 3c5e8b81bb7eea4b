/** LangChain JS: a model with a bound tool, and the loop that its documentation shows. */
import { bash, INSTRUCTIONS, type Loose, PARAMETERS, runProgram, SHELL } from "./program.ts";

await runProgram(async ({ baseURL, prompt, history, load, keep }) => {
  const { ChatOpenAI } = await load("@langchain/openai");
  const messages = await load("@langchain/core/messages");
  const model = new ChatOpenAI({
    model: "local",
    apiKey: "none",
    configuration: { baseURL },
    streaming: true,
  });
  const bound = model.bindTools([{ type: "function", function: { ...SHELL, parameters: PARAMETERS } }]);
  const all: Loose[] =
    history === null
      ? [new messages.SystemMessage(INSTRUCTIONS)]
      : messages.mapStoredMessagesToChatMessages(history);
  all.push(new messages.HumanMessage(prompt));
  for (;;) {
    const reply = await bound.invoke(all);
    all.push(reply);
    const calls: Loose[] = reply.tool_calls ?? [];
    if (calls.length === 0) break;
    for (const { id, args } of calls) {
      all.push(new messages.ToolMessage({ tool_call_id: id, content: await bash(args) }));
    }
  }
  await keep(messages.mapChatMessagesToStoredMessages(all));
});
