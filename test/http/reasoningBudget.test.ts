/** A reasoning budget under every name that clients have for it. */
import { expect, test } from "bun:test";
import { json, postChat } from "../support/httpClient.ts";
import { onEachTarget, USER } from "./targets.ts";

onEachTarget("a reasoning budget", (open) => {
  test.each([
    [{ reasoning_budget_tokens: 7 }, 7],
    [{ thinking_budget_tokens: 0 }, 0],
    [{ reasoning_budget: 3 }, 3],
    [{ reasoning_budget: -1 }, undefined],
    [{}, undefined],
  ])("%j", async (fields, tokensMax) => {
    await using opened = open();
    await json(await postChat(opened.target, { messages: USER, ...fields }));
    const budget = opened.server.engine.runs[0]?.spec.sampling?.reasoningBudget;
    expect(budget?.tokensMax).toBe(tokensMax);
    if (budget !== undefined) expect(budget).toMatchObject({ start: [1], end: 2, opened: false });
  });

  test("what is no number of tokens is named", async () => {
    await using opened = open();
    const response = await postChat(opened.target, { messages: USER, thinking_budget_tokens: 1.5 });
    expect(response.status).toBe(400);
    expect((await json(response)).error.param).toBe("thinking_budget_tokens");
  });
});
