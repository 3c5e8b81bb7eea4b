/**
 * A prompt that the client wrote itself: text and token ids in order, with no template around them. The client's
 * next prompt is expected to go on from the reply, so it is told where the reply belongs.
 */

export type RawPart =
  /** `special`: spellings of special tokens are those tokens, as in llama-server's `/completion`; else plain. */
  { readonly text: string; readonly special: boolean } | { readonly tokens: readonly number[] };

export interface RawPrompt {
  readonly parts: readonly RawPart[];
  /** BOS goes in front where the model wants it and the prompt does not begin with it. */
  readonly bos: boolean;
  /** The part that the reply goes on from, as the client will have it; the last one, unless text stands behind. */
  readonly grows: number;
}

/**
 * What the next prompt begins with: everything up to the part that grows, and that part with the reply at its
 * end. A client that sent text comes back with text, and its tokens are those of the whole text; one that sent
 * tokens comes back with tokens.
 */
export function grownPrompt(
  prompt: RawPrompt,
  reply: { readonly text: string; readonly tokens: readonly number[] },
): RawPrompt {
  const parts = prompt.parts.slice(0, prompt.grows + 1);
  const last = parts.at(-1);
  if (last !== undefined) parts[prompt.grows] = grownPart(last, reply);
  return { ...prompt, parts };
}

function grownPart(
  part: RawPart,
  reply: { readonly text: string; readonly tokens: readonly number[] },
): RawPart {
  return "text" in part
    ? { ...part, text: part.text + reply.text }
    : { tokens: [...part.tokens, ...reply.tokens] };
}
