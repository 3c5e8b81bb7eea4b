/**
 * Conversations and clients that are remembered, over all tenants; the least recently used go first. One costs
 * 8 bytes a chunk and its last reply: some kilobytes. Forgetting one costs its habits and no token.
 */
export const CONVERSATIONS_MAX = 1_024;
/** Tokens of last prompts that are remembered to tell what has changed, over all tenants: 4 bytes each. */
export const REMEMBERED_TOKENS_MAX = 4_194_304;
/** Places at which prompts were rewritten, over all tenants: 16 bytes each. */
export const LEARNED_PLACES_MAX = 4_096;
/** Last turns that the page is told of, of each API key: some hundred bytes each. */
export const RECENT_TURNS_MAX = 64;
/** Replies that wait for their warm pass; the engine is behind by then, and the oldest is worth least. */
export const WARM_JOBS_MAX = 256;

/**
 * The maxima of the HTTP side by name, unit last; those of messages, tools and nesting lie beside what reads
 * them (`MESSAGES_MAX`, `TOOLS_MAX`, `JSON_DEPTH_MAX`, `JSON_VALUES_MAX`). Tests lower single ones.
 */
export interface Limits {
  /** Bytes of one request body. 64 MiB hold about 16 million tokens of text. */
  readonly bodyBytesMax: number;
  /** Replies to one completion request: its prompts times `n`; each is a run of its own. */
  readonly promptsMax: number;
  /** Inputs of one request to embed: OpenAI's own. */
  readonly embeddingInputsMax: number;
  /** Numbers of one answer to `--pooling none`: a few hundred megabytes of JSON. Pooled, 2,048 of 8,192 each. */
  readonly embeddingNumbersMax: number;
  /** Other files of one `/infill`. */
  readonly extraFilesMax: number;
  /** Characters of one `/tokenize`, which holds the thread: some hundred milliseconds. */
  readonly tokenizeCharsMax: number;
  readonly stopStringsMax: number;
  /** Characters of one stop string; text is held back by at most this much. */
  readonly stopCharsMax: number;
  readonly logitBiasMax: number;
  /** Replies to one request. */
  readonly choicesMax: number;
  /** Of `top_logprobs`, and of llama-server's `n_probs`. */
  readonly topLogprobsMax: number;
  readonly nProbsMax: number;
  /** Links of a sampler chain. */
  readonly samplersMax: number;
  /** Each looks through the whole vocabulary, in the engine. */
  readonly dryBreakersMax: number;
  /** Characters of a request's own GBNF grammar. */
  readonly grammarCharsMax: number;
  /** Requests that run or wait for a lane; the next one is a 429. */
  readonly queueMax: number;
  /** Characters of a client's `x-request-id` that are echoed. */
  readonly requestIdCharsMax: number;
  /** Responses that one API key may name by id; the least recently used go first. */
  readonly storedResponsesMax: number;
  /** Characters of JSON that they may hold, and as many again of their items. */
  readonly storedCharsMax: number;
  /** Silence after which a stream sends a comment. Clients give up after 10 to 15 s at the earliest. */
  readonly keepAliveMs: number;
  /** Time that a stop signal leaves to the replies that are being written. */
  readonly closeMsMax: number;
}

export const LIMITS: Limits = {
  bodyBytesMax: 64 * 1024 * 1024,
  promptsMax: 32,
  embeddingInputsMax: 2_048,
  embeddingNumbersMax: 16 * 1024 * 1024,
  extraFilesMax: 256,
  tokenizeCharsMax: 1024 * 1024,
  stopStringsMax: 16,
  stopCharsMax: 512,
  logitBiasMax: 4_096,
  choicesMax: 16,
  topLogprobsMax: 20,
  nProbsMax: 128,
  samplersMax: 32,
  dryBreakersMax: 32,
  grammarCharsMax: 256 * 1024,
  queueMax: 64,
  requestIdCharsMax: 128,
  storedResponsesMax: 1_024,
  storedCharsMax: 32 * 1024 * 1024,
  keepAliveMs: 10_000,
  closeMsMax: 5_000,
};
