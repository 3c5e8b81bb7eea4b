/** What turns are answered with: engine, prompts, conversations and the warm pass. */
import type { ReplyFormat } from "../chat/formats/ReplyFormat.ts";
import type { PromptInput } from "../chat/Message.ts";
import type { ChunkRules } from "../plan/Plan.ts";
import type { TemplateCaps } from "../prompt/learn/TemplateCaps.ts";
import type { PromptOptions } from "../prompt/Prompter.ts";
import type { RawPrompt } from "../prompt/RawPrompt.ts";
import type { Engine } from "../run/Engine.ts";
import type { ReasoningBudget } from "../run/RunSpec.ts";
import type { TextVocab } from "../run/TextVocab.ts";
import type { Warm } from "../warm/Warm.ts";
import type { Activity } from "./Activity.ts";
import type { Conversations } from "./conversations.ts";

export interface TurnDeps {
  readonly engine: Engine;
  /** `Prompter` over the template; throws AppError for what the template refuses. */
  readonly prompter: {
    tokens(
      input: PromptInput,
      options: PromptOptions,
    ): {
      readonly tokens: Int32Array;
      readonly opensReasoning: boolean;
      /** Absent: the usual one. */
      readonly format?: ReplyFormat;
      readonly reasoningTags?: Pick<ReasoningBudget, "start" | "end"> | null;
    };
    rawTokens(prompt: RawPrompt, ctxTokens?: number): Int32Array;
    filledTokens(form: string, texts: Readonly<Record<string, string>>, ctxTokens?: number): Int32Array;
    text(input: PromptInput, options: PromptOptions): string;
    readonly caps: TemplateCaps;
  };
  readonly vocab: Pick<TextVocab, "piece" | "specials">;
  readonly rules: ChunkRules;
  readonly chainSeed: (tenant: string) => bigint;
  readonly conversations: Pick<
    Conversations,
    "arrive" | "changed" | "learned" | "left" | "replied" | "runs" | "wasEnding"
  >;
  readonly warm: Warm;
  readonly activity: Activity;
  /** Kept states serve whatever key asks. */
  readonly shareStates?: boolean;
  /** No text of a prompt is told of, not even to whom it belongs. */
  readonly redact?: boolean;
  readonly queueMax: number;
  /** Tokens of reasoning where a request says nothing; missing or Infinity is no limit. */
  readonly reasoningBudget?: number;
  readonly newCallId: () => string;
  /** One sentence for what a reply's grammar leaves out. */
  readonly warn?: (message: string) => void;
}
