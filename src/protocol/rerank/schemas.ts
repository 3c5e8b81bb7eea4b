/** Schemas of reranking, as they are documented. */
import { Type } from "@sinclair/typebox";

const TEXTS = Type.Array(Type.String(), { minItems: 1 });

export const RERANK_REQUEST = Type.Object(
  {
    model: Type.Optional(Type.String({ description: "Any name, unless the server has --strict-model." })),
    query: Type.String(),
    documents: Type.Optional(TEXTS),
    texts: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: "In place of `documents`. The answer then has the form of Text Embeddings Inference.",
      }),
    ),
    top_n: Type.Optional(
      Type.Integer({ minimum: 0, description: "How many of the best to return. All by default." }),
    ),
    return_documents: Type.Optional(
      Type.Boolean({ default: false, description: "Return the documents' texts with their scores." }),
    ),
    return_text: Type.Optional(Type.Boolean({ default: false, description: "The same, with `texts`." })),
  },
  {
    $id: "RerankRequest",
    description: "`documents` or `texts`.",
    examples: [{ query: "a warm drink", documents: ["tea", "granite"], top_n: 1 }],
  },
);

const INDEX = Type.Integer({ description: "Index of the document; the best document comes first." });
const SCORE = Type.Number({ description: "The model's own score; its range differs between models." });

export const RERANKED = Type.Union(
  [
    Type.Object({
      object: Type.Literal("list"),
      model: Type.String(),
      usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
      results: Type.Array(
        Type.Object({
          index: INDEX,
          relevance_score: SCORE,
          document: Type.Optional(Type.Object({ text: Type.String() })),
        }),
      ),
    }),
    Type.Array(Type.Object({ index: INDEX, score: SCORE, text: Type.Optional(Type.String()) }), {
      description: "The answer to `texts`.",
    }),
  ],
  { $id: "Reranked" },
);
