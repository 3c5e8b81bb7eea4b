/**
 * Talks with a server that is killed at random moments and started again on the same folder of kept states, each reply
 * compared with that of a server that keeps nothing and was never killed.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PipedCommand, pipedCommand } from "./Command.ts";
import { Prng } from "./tinyModels/Prng.ts";

const SYSTEM = "You are the assistant of a small railway, and you answer in one sentence. ".repeat(8);
const TALKS = 3;
const TURNS_MAX = 6;
/** A talk waits so long at most before its next turn. */
const PAUSE_MS_MAX = 600;
/** Replies after which a server is killed at the latest. */
const LIFE_REPLIES_MAX = 5;
const WAITS_MAX = 3_000;

interface Reply {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly prompt_tokens_details: { readonly cached_tokens: number } };
  readonly warmturn: { readonly tokens_hash: string; readonly logits_hash: string; readonly source: string };
}

type Message = Readonly<Record<string, unknown>>;

export interface Played {
  readonly kills: number;
  readonly replies: number;
  /** Replies that resumed from disk. */
  readonly fromDisk: number;
  /** Replies that differ from the reference's, one sentence each. */
  readonly wrong: readonly string[];
  /** Lines of the killed servers' logs that warn or say an error. */
  readonly complaints: readonly string[];
  /** Files that the servers moved aside, as damaged. */
  readonly movedAside: readonly string[];
}

export async function playKills(model: string, kills: number, seed: string): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), "warmturn-kills-"));
  const random = new Prng(seed);
  const below = (count: number): number => random.next() % count;
  const flags = ["-m", model, "-t", "1", "-c", "2048", "-np", "2", "--exact-decode", "--debug-hashes"];
  const own = ["--port", "0", "--log-format", "json"];
  await using reference = await pipedCommand([...flags, ...own, "--warm", "off", "--state-ram", "0"]);
  const cold = await urlOf(reference);
  const talks = Array.from({ length: TALKS }, (_, index) => new PlayedTalk(index));
  const complaints: string[] = [];
  const wrong: string[] = [];
  let [replies, fromDisk] = [0, 0];
  try {
    for (let kill = 0; kill < kills; kill++) {
      const state = ["--state-disk", "64M", "--state-dir", join(folder, "states")];
      await using server = await pipedCommand([...flags, ...own, ...state], {
        WARMTURN_HOME: join(folder, "home"),
      });
      const url = await urlOf(server);
      let isKilled = false;
      const play = async (talk: PlayedTalk): Promise<void> => {
        while (!isKilled) {
          const got = await talk.ask(url).catch((error: unknown) => {
            if (error instanceof Refused) wrong.push(`kill ${kill}, talk ${talk.name}: ${error.message}`);
            return null;
          });
          // A server that dies answers nothing; whatever it does answer has to be right.
          if (got === null) return;
          const right = await talk.ask(cold);
          replies += 1;
          if (got.warmturn.source === "disk") fromDisk += 1;
          const isSame =
            got.warmturn.tokens_hash === right.warmturn.tokens_hash &&
            got.warmturn.logits_hash === right.warmturn.logits_hash;
          if (!isSame) wrong.push(`kill ${kill}, talk ${talk.name}: resumed from ${got.warmturn.source}`);
          talk.goOn(right);
          await Bun.sleep(below(PAUSE_MS_MAX));
        }
      };
      const playing = Promise.all(talks.map(play));
      // So many replies into its life, however slow the machine is, and then somewhere in what follows.
      const until = replies + below(LIFE_REPLIES_MAX);
      for (let waits = 0; replies < until && waits < WAITS_MAX; waits++) await Bun.sleep(20);
      await Bun.sleep(below(PAUSE_MS_MAX));
      isKilled = true;
      await server.end("SIGKILL");
      await playing;
      complaints.push(...server.stdout.split("\n").filter((line) => /"level":(40|50|60)/.test(line)));
    }
    const files = readdirSync(folder, { recursive: true }).map(String);
    return {
      kills,
      replies,
      fromDisk,
      wrong,
      complaints,
      movedAside: files.filter((name) => /damaged/.test(name)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function urlOf(command: PipedCommand): Promise<string> {
  await command.until('"msg":"ready"');
  return /http:\/\/127\.0\.0\.1:\d+/.exec(command.stdout)?.[0] ?? "";
}

/** An answer that is none, from a server that lives. */
class Refused extends Error {}

class PlayedTalk {
  #messages: Message[] = [];
  #began = 0;
  readonly #index: number;

  constructor(index: number) {
    this.#index = index;
  }

  get name(): string {
    return `${this.#index}.${this.#began}`;
  }

  async ask(url: string): Promise<Reply> {
    if (this.#messages.length === 0) this.#begin();
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages: this.#messages, temperature: 0, max_tokens: 12, ignore_eos: true }),
    });
    if (!answer.ok) throw new Refused(`${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Reply;
  }

  goOn(reply: Reply): void {
    const turn = this.#messages.length;
    if (turn >= 2 * TURNS_MAX) {
      this.#messages = [];
      return;
    }
    const content = `And what of train ${turn + this.#index}, which left ${"a little ".repeat(turn)}late?`;
    this.#messages.push({ ...reply.choices[0]?.message }, { role: "user", content });
  }

  #begin(): void {
    this.#began += 1;
    this.#messages = [
      { role: "system", content: SYSTEM },
      { role: "user", content: `This is talk ${this.name}. Which train is the first of the day?` },
    ];
  }
}
