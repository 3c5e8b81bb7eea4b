/**
 * From a request's canonical messages to its tokens: a pure function of the input, the template, the
 * vocabulary and the clock's date. The request path and the warm path have one each, built alike, and use
 * nothing else; what it remembers (tokenised stretches) changes speed only.
 */
import type { ContinuedPart } from "../chat/continuation.ts";
import type { ReplyFormat } from "../chat/formats/ReplyFormat.ts";
import { spellCalls } from "../chat/formats/spellCalls.ts";
import type { PromptInput } from "../chat/Message.ts";
import type { ReasoningBudget } from "../run/RunSpec.ts";
import type { TextVocab } from "../run/TextVocab.ts";
import { completedTools } from "./completedTools.ts";
import { continuedRender } from "./continuedRender.ts";
import { type HostSettings, hostContext, stringsOf } from "./hostContext.ts";
import { joined } from "./joined.ts";
import { learnCaps } from "./learn/learnCaps.ts";
import { type Dialect, learnDialect, readTags } from "./learn/learnDialect.ts";
import { learnOpeners, type Openers } from "./learn/learnOpeners.ts";
import type { OpenerSource } from "./learn/OpenerSource.ts";
import type { TemplateCaps } from "./learn/TemplateCaps.ts";
import { NO_MASK } from "./learn/trialMessages.ts";
import { EdgeSet, Mask } from "./Mask.ts";
import type { RawPrompt } from "./RawPrompt.ts";
import { RenderTokeniser } from "./RenderTokeniser.ts";
import { Template } from "./Template.ts";

export interface PrompterOptions {
  readonly template: string;
  /** Used instead when a request has tools; some models ship one. */
  readonly toolUseTemplate?: string;
  readonly vocab: TextVocab;
  /** Only its date is used. */
  readonly today?: () => Date;
}

export interface PromptOptions {
  readonly addGenerationPrompt: boolean;
  /** The prompt ends inside this part of the last message, an assistant's; needs no generation prompt. */
  readonly continues?: ContinuedPart;
  /** Tokens that a conversation holds: what is far beyond it is refused before it is tokenised whole. */
  readonly ctxTokens?: number;
}

export interface PromptTokens {
  readonly tokens: Int32Array;
  /** The generation prompt ended inside the reasoning tags: the reply begins with reasoning. */
  readonly opensReasoning: boolean;
  /** How this template's model writes its reply. */
  readonly format: ReplyFormat;
  /** The tags of reasoning; null where it has none, or a closing tag of more than one token. */
  readonly reasoningTags: ReasoningTags | null;
}

type ReasoningTags = Pick<ReasoningBudget, "start" | "end">;

interface Render {
  readonly rendered: string;
  readonly mask: Mask;
  readonly dialect: Dialect;
  readonly reasoningTags: ReasoningTags | null;
}

/** A template with what was learnt of it. */
interface Studied {
  readonly template: Template;
  readonly caps: TemplateCaps;
  readonly settings: HostSettings;
  readonly openers: Openers;
  readonly dialect: Dialect;
  readonly reasoningTags: ReasoningTags | null;
}

export class Prompter {
  /** Sequences that open a message, of both templates. */
  readonly openers: Openers["openers"];
  readonly userOpeners: Openers["userOpeners"];
  readonly otherOpeners: Openers["otherOpeners"];
  readonly userPrefaces: Openers["userPrefaces"];
  readonly tailOpeners: Openers["tailOpeners"];
  /** Of the template for requests without tools. */
  readonly dialect: Dialect;
  /** Of the template for requests with tools; mostly the same. */
  readonly toolDialect: Dialect;
  readonly #vocab: TextVocab;
  readonly #today: () => Date;
  readonly #tokeniser: RenderTokeniser;
  readonly #edges: EdgeSet;
  readonly #plain: Studied;
  readonly #toolUse: Studied;

  /** Throws an Error with one sentence where a template does not parse. */
  constructor(options: PrompterOptions) {
    this.#vocab = options.vocab;
    this.#today = options.today ?? (() => new Date());
    this.#tokeniser = new RenderTokeniser(options.vocab);
    this.#edges = new EdgeSet(this.#tokeniser.spellings);
    this.#plain = this.#study(options.template);
    this.#toolUse =
      options.toolUseTemplate === undefined ? this.#plain : this.#study(options.toolUseTemplate);
    this.dialect = this.#plain.dialect;
    this.toolDialect = this.#toolUse.dialect;
    const both = [this.#plain.openers, this.#toolUse.openers];
    this.openers = merged(both.map((one) => one.openers));
    this.userOpeners = merged(both.map((one) => one.userOpeners));
    this.otherOpeners = merged(both.map((one) => one.otherOpeners));
    this.userPrefaces = merged(both.map((one) => one.userPrefaces));
    this.tailOpeners = merged(both.map((one) => one.tailOpeners));
  }

  /**
   * Throws AppError("template-refused") in the template's own words, AppError("prefill-unsupported"), and
   * AppError("prompt-too-long") for what is far beyond `ctxTokens`.
   */
  tokens(input: PromptInput, options: PromptOptions): PromptTokens {
    const { rendered, mask, dialect, reasoningTags } = this.#render(input, options);
    const start = dialect.reasoning?.start;
    return {
      tokens: this.#tokeniser.tokens(rendered, mask, options.ctxTokens),
      opensReasoning:
        options.continues === "reasoning" ||
        (options.addGenerationPrompt &&
          start !== undefined &&
          start !== "" &&
          rendered.trimEnd().endsWith(start)),
      format: dialect.reply.format,
      reasoningTags,
    };
  }

  /** Tokens of a prompt that no template is put around. Throws AppError("prompt-too-long") as `tokens` does. */
  rawTokens({ parts, bos }: RawPrompt, ctxTokens?: number): Int32Array {
    const tokens = joined(
      parts.map((part) => {
        if ("tokens" in part) return Int32Array.from(part.tokens);
        return part.special
          ? this.#tokeniser.spelled(part.text, ctxTokens)
          : this.#tokeniser.plain(part.text, ctxTokens);
      }),
    );
    return bos ? this.#tokeniser.withBos(tokens) : tokens;
  }

  /**
   * Tokens of a text with texts put at its places (`{query}`), nothing in front. Spellings of special tokens are those
   * tokens in the text, and plain in what is put there. Throws AppError("prompt-too-long") as `tokens` does.
   */
  filledTokens(form: string, texts: Readonly<Record<string, string>>, ctxTokens?: number): Int32Array {
    const mask = Mask.over(this.#tokeniser.spellings, this.#edges, [form, ...Object.values(texts)]);
    const filled = form.replace(/\{(\w+)\}/g, (place, name) => {
      const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
      return text === undefined ? place : mask.text(text);
    });
    return this.#tokeniser.masked(filled, mask, ctxTokens);
  }

  /** Of the template for requests without tools. */
  get caps(): TemplateCaps {
    return this.#plain.caps;
  }

  /** The text of the prompt, for checks and reports. */
  text(input: PromptInput, options: PromptOptions): string {
    const { rendered, mask } = this.#render(input, options);
    return mask.unmask(rendered);
  }

  #render(input: PromptInput, { addGenerationPrompt, continues }: PromptOptions): Render {
    const studied = input.tools.length > 0 ? this.#toolUse : this.#plain;
    const { template, caps, settings, dialect, reasoningTags } = studied;
    const mask = Mask.over(this.#tokeniser.spellings, this.#edges, withSource(template.source, input));
    const masked = (what: PromptInput, by: Mask) =>
      withWholeTools(what, (whole) =>
        template.render(hostContext(whole, addGenerationPrompt, caps, settings, by)),
      );
    const render = (what: PromptInput) => {
      const rendered = masked(what, mask);
      const stricter = mask.stricter(rendered);
      return stricter === undefined ? rendered : sameText(mask, rendered, () => masked(what, stricter));
    };
    const rendered =
      continues === undefined
        ? render(input)
        : continuedRender(input, continues, render, (text) => mask.unmask(text));
    return { rendered, mask, dialect, reasoningTags };
  }

  #study(source: string): Studied {
    const template = new Template(source, this.#today);
    const plain: HostSettings = {
      bosText: this.#spelling(this.#vocab.bos),
      eosText: this.#spelling(this.#vocab.eos),
      echoTags: new Set(),
      today: this.#today,
    };
    const caps = learnCaps(template, plain);
    const mask = Mask.over(this.#tokeniser.spellings, this.#edges, [source]);
    const openerSource: OpenerSource = {
      vocab: this.#vocab,
      spellings: this.#tokeniser.spellings,
      render: (input, addGenerationPrompt) => {
        try {
          return template.render(hostContext(input, addGenerationPrompt, caps, plain, NO_MASK));
        } catch {
          return undefined;
        }
      },
      tokenise: (rendered) => this.#tokeniser.tokens(rendered, mask),
    };
    const openers = learnOpeners(openerSource);
    const dialect = learnDialect(openerSource, source, caps, openers.openers);
    const { calls } = dialect.reply.format;
    const settings: HostSettings = {
      ...plain,
      echoTags: readTags(openerSource, source, openers.openers),
      ...(calls === null ? {} : { writeCalls: (written) => spellCalls(calls, written) }),
    };
    return { template, caps, settings, openers, dialect, reasoningTags: this.#reasoningTags(dialect) };
  }

  #reasoningTags({ reasoning }: Dialect): ReasoningTags | null {
    if (reasoning === null) return null;
    const [end, ...more] = this.#tagTokens(reasoning.end);
    // A closing tag of several tokens cannot be recognised by its tokens.
    if (end === undefined || more.length > 0) return null;
    return { start: this.#tagTokens(reasoning.start), end };
  }

  #tagTokens(tag: string): number[] {
    const special = this.#vocab.specials.find(({ text }) => text === tag);
    return special === undefined ? [...this.#vocab.tokenise(tag, true)] : [special.id];
  }

  #spelling(token: number): string {
    return this.#vocab.specials.find((special) => special.id === token)?.text ?? "";
  }
}

/** Renders with the tools as they were sent; with what they left out where the template fails without it. */
function withWholeTools(input: PromptInput, render: (input: PromptInput) => string): string {
  try {
    return render(input);
  } catch (error) {
    if (input.tools.length === 0) throw error;
    try {
      return render({ ...input, tools: completedTools(input.tools) });
    } catch {
      throw error;
    }
  }
}

/** The safer render, unless the template compares a name that is bounded there, and says something else. */
function sameText(mask: Mask, rendered: string, safer: () => string): string {
  try {
    const again = safer();
    return mask.unmask(again) === mask.unmask(rendered) ? again : rendered;
  } catch {
    return rendered;
  }
}

function* withSource(source: string, input: PromptInput): Generator<string> {
  yield source;
  yield* stringsOf(input);
}

function merged(lists: readonly (readonly (readonly number[])[])[]): readonly (readonly number[])[] {
  return [...new Map(lists.flat().map((sequence) => [sequence.join(), sequence])).values()];
}
