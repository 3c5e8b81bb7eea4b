/** Keys of a file, pages of other origins, ids and limits, on the command: from source, or the executable. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandName, type ServedCommand, serveCommand } from "../support/Command.ts";
import { get, json, postChat, readSse } from "../support/httpClient.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";
import { USER } from "./targets.ts";

const ORIGIN = "https://chat.example.org";
const KEY = { authorization: "Bearer s3cret" };
const START_MS_MAX = 60_000;

describe(`manners of the command (${commandName})`, () => {
  let folder: string;
  let server: ServedCommand;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "warmturn-manners-"));
    const keys = join(folder, "keys");
    await Bun.write(keys, "# one a line\nlaptop=s3cret\n");
    const model = (await tinyModel("qwen3")).path;
    const manners = ["--api-key-file", keys, "--cors-origins", ORIGIN, "--body-max", "1K"];
    server = await serveCommand(["-m", model, "-t", "1", "-np", "1", "-c", "1024", ...manners]);
  }, START_MS_MAX);

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test("a page asks first, and then reads a stream, refusals and foreign paths", async () => {
    const asks = { origin: ORIGIN, "access-control-request-method": "POST" };
    const path = "/v1/chat/completions";
    const asked = await get(server, path, { method: "OPTIONS", headers: asks });
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, ORIGIN]);
    const headers = { ...KEY, origin: ORIGIN, "x-request-id": "mine" };
    const answers = [
      await postChat(server, { messages: USER, max_tokens: 2, stream: true }, { headers }),
      await postChat(server, { messages: USER }, { headers: { origin: ORIGIN, "x-request-id": "mine" } }),
      await postChat(server, { messages: [] }, { headers }),
      await postChat(server, { messages: USER, user: "x".repeat(2000) }, { headers }),
      await get(server, "/nothing", { headers }),
      await get(server, path, { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 400, 413, 404, 405]);
    for (const { headers: sent } of answers) {
      expect(sent.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(sent.get("access-control-allow-credentials")).toBe(null);
      expect([sent.get("x-request-id"), sent.get("request-id")]).toEqual(["mine", "mine"]);
    }
    const [stream] = answers;
    if (stream === undefined) throw new Error("no stream");
    expect((await readSse(stream)).data.at(-1)).toBe("[DONE]");
  });

  test("the key's name is told where the key is not", async () => {
    await postChat(server, { messages: USER, max_tokens: 1 }, { headers: KEY });
    const slots = await json(await get(server, "/slots", { headers: KEY }));
    expect(slots[0].key).toBe("laptop");
    expect(JSON.stringify(slots)).not.toContain("s3cret");
  });

  test("HEAD is answered at /, and wherever GET is", async () => {
    for (const path of ["/", "/health", "/docs", "/openapi.json"]) {
      const answer = await get(server, path, { method: "HEAD" });
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, ""]);
    }
  });
});
