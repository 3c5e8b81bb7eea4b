/** Whoever watches a reply's end is told what its client is told. */
import { expect, test } from "bun:test";
import { get, inProcess, json, postChat } from "../../support/httpClient.ts";
import { loopServer } from "../../support/LoopServer.ts";

test("the live view names the same reason for a miss", async () => {
  const server = loopServer({ memory: "dense", lanes: 1, spares: 1, reply: () => "So it is." });
  const client = inProcess(server.app);
  const rules = "Read before you write, and say what you did. ".repeat(8);
  const ask = async (content: string): Promise<string> => {
    const messages = [
      { role: "system", content },
      { role: "user", content: "What is it?" },
    ];
    const reply = await json(await postChat(client, { messages, max_tokens: 50 }));
    await server.idle();
    return reply.warmturn.miss;
  };
  await ask(rules);
  const miss = await ask(`Today is Monday. ${rules}`);
  expect(miss).toBe("tokens-differ");
  const { turns } = await json(await get(client, "/warmturn/live"));
  expect(turns.map((turn: { readonly miss?: string }) => turn.miss)).toContain(miss);
});
