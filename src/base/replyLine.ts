/** One line of the log for each reply, written at its end: what it cost, what was resumed, and why not more was. */

/** As fields of a JSON line; tokens, milliseconds. */
export interface ReplyFields {
  readonly id?: string;
  readonly key?: string;
  readonly end: "done" | "aborted" | "refused" | "failed";
  readonly prompt: number;
  readonly resumed?: number;
  readonly warmed?: number;
  readonly prefilled?: number;
  readonly generated: number;
  readonly queued_ms?: number;
  readonly first_token_ms?: number;
  readonly tokens_per_second?: number;
  readonly ms: number;
  /** Why no more was resumed; missing where nothing was missed. */
  readonly miss?: string;
}

/** The same for a person: `812 prompt tokens: 700 resumed (640 warmed), 112 prefilled; 40 generated; …`. */
export function replyLine(fields: ReplyFields): string {
  const {
    prompt,
    resumed,
    warmed,
    prefilled,
    generated,
    first_token_ms: first,
    tokens_per_second: rate,
  } = fields;
  const spared =
    resumed === undefined
      ? ""
      : `: ${resumed} resumed${warmed ? ` (${warmed} warmed)` : ""}, ${prefilled ?? 0} prefilled`;
  return [
    `${prompt} prompt tokens${spared}`,
    `${generated} generated`,
    ...(first === undefined ? [] : [`first after ${first} ms`]),
    ...(rate === undefined ? [] : [`${rate} tokens/s`]),
    `${fields.ms} ms`,
    ...(fields.end === "done" ? [] : [fields.end]),
    ...(fields.miss === undefined ? [] : [`missed: ${fields.miss}`]),
  ].join("; ");
}
