/** What a hub refuses, and to whom the token is sent. */
import { describe, expect, test } from "bun:test";
import { PullRig } from "../../support/PullRig.ts";

const REPO = "owner/Model-GGUF";
const NAME = "m-Q4_K_M.gguf";

describe("the token", () => {
  test("goes to the hub, through its own redirects, and not to where it sends on", async () => {
    await using rig = await PullRig.start();
    rig.hub.token = "hf_secret";
    rig.hub.add(NAME, 1000);
    await rig.pull(REPO, { token: "hf_secret" });
    const sent = rig.hub.seen.map(({ server, authorization }) => `${server} ${authorization}`);
    expect(sent).toEqual([
      "hub Bearer hf_secret",
      "hub Bearer hf_secret",
      "hub Bearer hf_secret",
      "cdn undefined",
    ]);
  });

  test.each([
    ["gated", "GatedRepo", 401, null, "gated", "then set HF_TOKEN to a token of yours"],
    ["gated, with a token", "GatedRepo", 403, "hf_x", "gated", "with the account of HF_TOKEN"],
    ["a bad token", "", 401, "hf_x", "token-refused", "does not accept the token in HF_TOKEN"],
    ["no such repository", "RepoNotFound", 401, null, "not-found", `There is no ${REPO} on 127.0.0.1`],
    [
      "no such repository, with a token",
      "RepoNotFound",
      404,
      "hf_x",
      "not-found",
      "HF_TOKEN may not read it",
    ],
    ["something else", "", 418, null, "not-a-hub", "with status 418"],
  ] as const)("%s", async (_, code, status, token, error, says) => {
    await using rig = await PullRig.start();
    rig.hub.listFaults.push({ kind: "status", status, headers: { "x-error-code": code } });
    const refused = await rig.refused(REPO, { token });
    expect([refused.code, refused.message]).toEqual([error, expect.stringContaining(says)]);
    expect([rig.files(), rig.waits]).toEqual([[], []]);
  });

  test("a gated file names the page where access is asked for", async () => {
    await using rig = await PullRig.start();
    rig.hub.add(NAME, 1000);
    rig.hub.fileFaults.push({ kind: "status", status: 403, headers: { "x-error-code": "GatedRepo" } });
    const { message } = await rig.refused(REPO);
    expect(message).toContain(`${REPO}/${NAME} is only for those whom its owner lets in`);
    expect(message).toContain(`ask for access at ${rig.hub.endpoint}/${REPO},`);
    expect(rig.cache.list()).toEqual([]);
  });
});
