/** A slice of the campaign (`bun run test:hostile`): whatever is asked, the answer is one that is documented. */
import { expect, test } from "bun:test";
import { Random } from "../hostile/Random.ts";
import { RequestMaker } from "../hostile/requests.ts";
import { sendAll } from "../hostile/sendAll.ts";
import { documentation } from "../support/openApi/documentation.ts";
import { onEachTarget } from "./targets.ts";

const REQUESTS = 500;
const docs = await documentation();

onEachTarget("hostile requests", (open) => {
  test(`${REQUESTS} of them`, async () => {
    await using opened = open({ endpoints: { slots: true, metrics: true } });
    opened.server.engine.script = () => ({ text: "hello" });
    const maker = new RequestMaker(docs, new Random(opened.target.name));
    const { problems, statuses } = await sendAll(opened.target, maker, { count: REQUESTS, atOnce: 4 });
    expect(problems.map(({ says, request }) => [says, request.method, request.path, request.body])).toEqual(
      [],
    );
    expect(opened.server.errors).toEqual([]);
    // Else nothing of what stands behind the refusals was looked at.
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 20);
  });
});
