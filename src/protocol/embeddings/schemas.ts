/** Schemas of embeddings, as they are documented. */
import { Type } from "@sinclair/typebox";
import { ignored, oneOf } from "../http/schemas.ts";
import { PROMPT } from "../llama/schemas.ts";
import { NORMALISE_MAX } from "./normalise.ts";

const COMMON = {
  model: Type.Optional(Type.String({ description: "Any name, unless the server has --strict-model." })),
  dimensions: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "How many numbers of the vector to return, normalised again. All of them by default.",
    }),
  ),
  embd_normalize: Type.Optional(
    Type.Integer({
      minimum: -1,
      maximum: NORMALISE_MAX,
      description:
        "-1 none, 0 by the largest number, 1 taxicab, 2 Euclidean, above that the p-norm; --embd-normalize by default.",
    }),
  ),
  encoding_format: Type.Optional(
    oneOf(["float", "base64"], {
      default: "float",
      description: "base64: little-endian 32-bit floats, in OpenAI's form.",
    }),
  ),
};

export const EMBEDDING_REQUEST = Type.Object(
  { input: PROMPT, ...COMMON, user: ignored("the API key says who asks") },
  { $id: "EmbeddingRequest", examples: [{ input: ["Hello", "Good day"] }] },
);

export const EMBEDDINGS = Type.Object(
  {
    object: Type.Literal("list"),
    data: Type.Array(
      Type.Object({
        object: Type.Literal("embedding"),
        index: Type.Integer({ description: "Index of the input." }),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String({ description: "base64" })]),
        encoding_format: Type.Optional(Type.Literal("base64")),
      }),
    ),
    model: Type.String(),
    usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
  },
  { $id: "Embeddings" },
);

export const LLAMA_EMBEDDING_REQUEST = Type.Object(
  { input: Type.Optional(PROMPT), content: Type.Optional(PROMPT), ...COMMON },
  { $id: "LlamaEmbeddingRequest", description: "`input` or `content`.", examples: [{ content: "Hello" }] },
);

export const LLAMA_EMBEDDINGS = Type.Array(
  Type.Object({
    index: Type.Integer({ description: "Index of the input." }),
    embedding: Type.Array(Type.Array(Type.Number()), {
      minItems: 1,
      description: "One vector; with --pooling none one of each token, as the model gave it.",
    }),
  }),
  { $id: "LlamaEmbeddings" },
);
