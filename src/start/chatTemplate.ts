/** The chat template that a config and a model come to, and what is learnt of it: one way for server and doctor. */
import { readFileSync } from "node:fs";
import type { Model } from "../../ffi/Model.ts";
import { StartError } from "../base/StartError.ts";
import type { Config } from "../config/Config.ts";
import { fitRules } from "../plan/fitRules.ts";
import type { ChunkRules } from "../plan/Plan.ts";
import { Prompter } from "../prompt/Prompter.ts";
import type { EngineReady } from "../run/EngineReady.ts";

export interface Templates {
  readonly template: string;
  readonly toolUse: string | null;
}

/** Throws StartError. */
export function templatesOf(model: Model, config: Config): Templates {
  if (!model.vocab.hasTokenizer)
    throw new StartError(`${config.modelPath} holds no tokenizer; name the GGUF file of a chat model.`);
  // An encoder is given no messages to render.
  if (model.isEncoder) return { template: "", toolUse: null };
  const file = config.flags.chatTemplateFile;
  if (file !== null) {
    try {
      return { template: readFileSync(file, "utf8"), toolUse: null };
    } catch (error) {
      throw new StartError(`--chat-template-file: ${file} cannot be read (${wordsOf(error)}).`);
    }
  }
  const template = model.chatTemplate();
  if (template === null) {
    throw new StartError(`${config.modelPath} holds no chat template; name one with --chat-template-file.`);
  }
  return { template, toolUse: model.chatTemplate("tool_use") };
}

/** Throws StartError. */
export function prompterOf({ template, toolUse }: Templates, vocab: Model["vocab"]): Prompter {
  try {
    return new Prompter({ template, vocab, ...(toolUse === null ? {} : { toolUseTemplate: toolUse }) });
  } catch (error) {
    throw new StartError(`The chat template cannot be used: ${wordsOf(error)}`);
  }
}

/** How prompts of this template are cut on this engine. */
export function rulesOf(prompter: Prompter, ready: EngineReady, ubatch: number): ChunkRules {
  return fitRules(
    {
      openers: prompter.openers,
      userOpeners: prompter.userOpeners,
      otherOpeners: prompter.otherOpeners,
      userPrefaces: prompter.userPrefaces,
      tailOpeners: prompter.tailOpeners,
      chunkTokensMin: ready.chunkTokensMin,
      chunkTokensMax: ready.chunkTokensMax,
      taperTokens: ready.taperTokens,
      tripTokensMin: ready.tripTokensMin,
    },
    ubatch,
  );
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
