/** What Ollama's routes take and answer, for `/openapi.json`. */
import { type TSchema, Type } from "@sinclair/typebox";
import { oneOf, TIMINGS, WARMTURN } from "../http/schemas.ts";

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

export const OLLAMA_ERROR = Type.Object(
  { error: Type.String() },
  { $id: "OllamaError", description: "The body of the answer, or the last line of a stream." },
);

const CALL = Type.Object({
  function: Type.Object({
    index: optional(Type.Integer()),
    name: Type.String(),
    arguments: Type.Object({}, { additionalProperties: true }),
  }),
});

const MESSAGE = Type.Object(
  {
    role: oneOf(["system", "user", "assistant", "tool"]),
    content: optional(Type.String()),
    thinking: optional(Type.String()),
    images: optional(
      Type.Array(Type.String(), { description: "Become placeholders: no pictures are read." }),
    ),
    tool_calls: optional(Type.Array(CALL)),
    tool_name: optional(Type.String({ description: "In a tool's result: the tool that was called." })),
  },
  { $id: "OllamaMessage" },
);

const SETTINGS = {
  model: optional(Type.String({ description: "Any name, unless the server has --strict-model." })),
  stream: optional(Type.Boolean({ default: true, description: "As lines of JSON." })),
  think: optional(Type.Unknown({ description: "true, false, or low, medium or high." })),
  format: optional(Type.Unknown({ description: '"json", or a JSON Schema.' })),
  options: optional(
    Type.Object(
      {
        num_predict: optional(
          Type.Integer({ description: "The most tokens that the reply may have. -1 and -2: no limit." }),
        ),
        stop: optional(Type.Union([Type.String(), Type.Array(Type.String())])),
        temperature: optional(Type.Number()),
        seed: optional(Type.Integer()),
      },
      {
        additionalProperties: true,
        description: "Also every other sampler by llama-server's name. num_ctx and the like are ignored.",
      },
    ),
  ),
  keep_alive: optional(
    Type.Unknown({ description: "Ignored: the server decides how long the model stays loaded." }),
  ),
};

export const OLLAMA_CHAT_REQUEST = Type.Object(
  {
    messages: optional(Type.Array(MESSAGE)),
    tools: optional(Type.Array(Type.Unknown(), { description: "As in chat completions." })),
    ...SETTINGS,
  },
  {
    $id: "OllamaChatRequest",
    examples: [{ model: "local", messages: [{ role: "user", content: "Hello" }], stream: false }],
  },
);

export const OLLAMA_GENERATE_REQUEST = Type.Object(
  {
    prompt: optional(Type.String()),
    system: optional(Type.String()),
    images: optional(Type.Array(Type.String())),
    suffix: optional(Type.String({ description: "Not served: /infill fills in the middle." })),
    raw: optional(Type.Boolean({ default: false, description: "No template is put around the prompt." })),
    template: optional(Type.String({ description: "Ignored." })),
    context: optional(Type.Array(Type.Integer(), { description: "Ignored." })),
    ...SETTINGS,
  },
  { $id: "OllamaGenerateRequest", examples: [{ model: "local", prompt: "Hello", stream: false }] },
);

const COUNTS = {
  done: Type.Boolean(),
  done_reason: optional(oneOf(["stop", "length", "load"])),
  total_duration: optional(Type.Integer({ description: "Nanoseconds, as all durations." })),
  load_duration: optional(Type.Integer()),
  prompt_eval_count: optional(Type.Integer({ description: "Tokens of the prompt, resumed ones too." })),
  prompt_eval_duration: optional(Type.Integer()),
  eval_count: optional(Type.Integer()),
  eval_duration: optional(Type.Integer()),
  warmturn: optional(WARMTURN),
  timings: optional(TIMINGS),
};
const NAMED = { model: Type.String(), created_at: Type.String() };

export const OLLAMA_CHAT = Type.Object({ ...NAMED, message: MESSAGE, ...COUNTS }, { $id: "OllamaChat" });
export const OLLAMA_GENERATED = Type.Object(
  { ...NAMED, response: Type.String(), thinking: optional(Type.String()), ...COUNTS },
  { $id: "OllamaGenerated" },
);
export const OLLAMA_CHAT_LINE = Type.Union([OLLAMA_CHAT, OLLAMA_ERROR], { $id: "OllamaChatLine" });
export const OLLAMA_GENERATED_LINE = Type.Union([OLLAMA_GENERATED, OLLAMA_ERROR], {
  $id: "OllamaGeneratedLine",
});

const DETAILS = Type.Object(
  {
    parent_model: Type.String(),
    format: Type.String(),
    family: Type.String(),
    families: Type.Array(Type.String()),
    parameter_size: Type.String(),
    quantization_level: Type.String(),
  },
  { $id: "OllamaDetails" },
);
const MODEL = {
  name: Type.String(),
  model: Type.String(),
  modified_at: Type.String(),
  size: Type.Integer({ description: "Bytes." }),
  digest: Type.String({ description: "A hash of the model's name and size, not of the file." }),
  details: DETAILS,
};

export const OLLAMA_TAGS = Type.Object({ models: Type.Array(Type.Object(MODEL)) }, { $id: "OllamaTags" });
export const OLLAMA_RUNNING = Type.Object(
  {
    models: Type.Array(
      Type.Object({
        ...MODEL,
        size_vram: Type.Integer(),
        expires_at: Type.String(),
        context_length: Type.Integer(),
      }),
    ),
  },
  { $id: "OllamaRunning" },
);
export const OLLAMA_VERSION = Type.Object(
  {
    version: Type.String({ description: "The version of Ollama's API that is spoken." }),
    warmturn: Type.String(),
  },
  { $id: "OllamaVersion" },
);
export const OLLAMA_SHOW_REQUEST = Type.Object(
  {
    model: optional(Type.String()),
    name: optional(Type.String()),
    verbose: optional(Type.Boolean()),
  },
  { $id: "OllamaShowRequest", examples: [{ model: "local" }] },
);
export const OLLAMA_SHOWN = Type.Object(
  {
    license: Type.String(),
    modelfile: Type.String(),
    parameters: Type.String(),
    template: Type.String(),
    details: DETAILS,
    model_info: Type.Object({}, { additionalProperties: true }),
    capabilities: Type.Array(oneOf(["completion", "tools", "thinking", "embedding"])),
    modified_at: Type.String(),
  },
  { $id: "OllamaShown" },
);

const EMBED_MODEL = { model: optional(Type.String()), keep_alive: SETTINGS.keep_alive };
export const OLLAMA_EMBED_REQUEST = Type.Object(
  {
    ...EMBED_MODEL,
    input: Type.Union([Type.String(), Type.Array(Type.String())]),
    dimensions: optional(Type.Integer()),
  },
  { $id: "OllamaEmbedRequest", examples: [{ model: "local", input: "Hello" }] },
);
export const OLLAMA_EMBEDDED = Type.Object(
  {
    model: Type.String(),
    embeddings: Type.Array(Type.Array(Type.Number())),
    total_duration: Type.Integer(),
    load_duration: Type.Integer(),
    prompt_eval_count: Type.Integer(),
  },
  { $id: "OllamaEmbedded" },
);
export const OLLAMA_EMBEDDING_REQUEST = Type.Object(
  { ...EMBED_MODEL, prompt: Type.String() },
  { $id: "OllamaEmbeddingRequest", examples: [{ model: "local", prompt: "Hello" }] },
);
export const OLLAMA_EMBEDDING = Type.Object(
  { embedding: Type.Array(Type.Number()) },
  { $id: "OllamaEmbedding" },
);
