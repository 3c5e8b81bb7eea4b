/**
 * The text side of a server, without an engine: requests as they come, to their prompts and plans, and finished
 * replies to what is warmed. A Prompter's tokens are a function of its input, so each render is made once.
 */
import { canonicalMessages, canonicalTools } from "../../../src/chat/canonical.ts";
import type { PromptInput } from "../../../src/chat/Message.ts";
import { replyMessage } from "../../../src/chat/replyMessage.ts";
import { parseJson } from "../../../src/json/parseJson.ts";
import type { ChunkRules, Plan } from "../../../src/plan/Plan.ts";
import { requestChunks } from "../../../src/plan/requestChunks.ts";
import type { Prompter } from "../../../src/prompt/Prompter.ts";
import { planJob } from "../../../src/warm/planJob.ts";
import type { Renderer } from "../../../src/warm/predictedTokens.ts";
import type { WireReply, WireRequest } from "../clients/wire.ts";

const SEED = 42n;
const UNKNOWN = { reasoning: "unknown", numbers: "unknown" } as const;

type Rendered = ReturnType<Renderer["tokens"]>;

export class TextSide {
  readonly #prompter: Prompter;
  readonly #prompts = new Map<string, Rendered | Error>();
  readonly #renderer: Renderer = {
    tokens: (input) => this.#tokens(input),
    rawTokens: (prompt) => this.#prompter.rawTokens(prompt),
  };

  constructor(prompter: Prompter) {
    this.#prompter = prompter;
  }

  /** Small chunks and trips decide nothing here but where cuts lie. */
  rules(own: Pick<ChunkRules, "chunkTokensMin" | "chunkTokensMax" | "tripTokensMin">): ChunkRules {
    const { openers, userOpeners, otherOpeners, userPrefaces, tailOpeners } = this.#prompter;
    return { openers, userOpeners, otherOpeners, userPrefaces, tailOpeners, ...own };
  }

  /** Throws what the template raises. */
  promptOf(request: WireRequest): readonly number[] {
    return [...this.#tokens(read(request)).tokens];
  }

  refuses(request: WireRequest): boolean {
    try {
      this.#tokens(read(request));
      return false;
    } catch {
      return true;
    }
  }

  planOf(request: WireRequest, rules: ChunkRules): Plan {
    return requestChunks(this.#tokens(read(request)).tokens, rules, SEED);
  }

  /** The plans of the warm pass, likeliest first. */
  warmed(sent: WireRequest, reply: WireReply, rules: ChunkRules): Plan[] {
    const calls = (reply.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
      id,
      name,
      arguments: text,
    }));
    const parts = { reasoning: reply.reasoning_content ?? "", text: reply.content ?? "", calls };
    const job = {
      conversation: { id: "c", turn: 1 },
      tenant: "",
      seed: SEED,
      prompt: read(sent),
      reply: replyMessage(parts),
      habits: UNKNOWN,
    };
    return planJob(job, this.#renderer, rules).runs.map(({ plan }) => plan);
  }

  #tokens(input: PromptInput): Rendered {
    const key = keyOf(input);
    let found = this.#prompts.get(key);
    if (found === undefined) {
      try {
        found = this.#prompter.tokens(input, { addGenerationPrompt: true });
      } catch (error) {
        found = error instanceof Error ? error : new Error(String(error));
      }
      this.#prompts.set(key, found);
    }
    if (found instanceof Error) throw found;
    return found;
  }
}

/** Equal for requests that are the same to the server. */
export function requestKey(request: WireRequest): string {
  return keyOf(read(request));
}

function keyOf(input: PromptInput): string {
  return JSON.stringify(input, (_, value: unknown) => (value instanceof Map ? [...value] : value));
}

function read({ messages, tools = [] }: WireRequest): PromptInput {
  const sent = canonicalTools(parseJson(JSON.stringify(tools)));
  return {
    messages: canonicalMessages(parseJson(JSON.stringify(messages)), sent),
    tools: sent,
    kwargs: new Map([["enable_thinking", true]]),
  };
}
