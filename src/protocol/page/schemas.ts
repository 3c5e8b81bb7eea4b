/** What `/warmturn/live` tells. */
import { type TSchema, Type } from "@sinclair/typebox";
import { nullable } from "../http/schemas.ts";

const count = (description: string): TSchema => Type.Integer({ description, minimum: 0 });
const bytes = (description: string): TSchema => Type.Integer({ description, minimum: 0 });

const TURN = Type.Object(
  {
    id: count("Counts the key's turns, from 1."),
    at: Type.Number({ description: "When it ended: milliseconds since 1970." }),
    conversation: nullable(count("Counts the key's conversations, from 1.")),
    end: Type.String({ description: "done, aborted, refused or failed." }),
    prompt: count("Tokens of the prompt."),
    resumed: count("Of those, covered by a kept state."),
    warmed: count("Of those, prefilled ahead of the request."),
    prefilled: count("Of the prompt, prefilled by the request."),
    generated: count("Tokens of the reply."),
    first_token_ms: nullable(Type.Number({ description: "From arrival at the engine to the first token." })),
    tokens_per_second: nullable(Type.Number({ description: "Of the reply." })),
    ms: Type.Number({ description: "Until its end." }),
    source: Type.String({ description: "Where the resumed state lay." }),
    miss: nullable(Type.String({ description: "Why no more was resumed; null where nothing was missed." })),
    why: Type.String({ description: "The same as a sentence." }),
  },
  { $id: "RecentTurn" },
);

const LANE = Type.Object(
  {
    busy: Type.Boolean(),
    own: nullable(
      Type.Object({
        conversation: nullable(count("The conversation's number, as in `turns`; null in its first turn.")),
        prompt: count("Tokens of the prompt."),
        resumed: count("Of those, resumed."),
        prefilled: count("Of those, prefilled so far."),
        generated: count("Tokens of the reply so far."),
      }),
    ),
  },
  { $id: "Lane", description: "A lane (slot). `own` is null if the lane is idle or works for another key." },
);

export const LIVE = Type.Object(
  {
    model: Type.String(),
    asleep: Type.Boolean({ description: "The model is unloaded until the next request." }),
    warm: Type.String({ description: "idle or working." }),
    context: count("Tokens that one conversation may hold."),
    running: count("Requests of this key that run."),
    waiting: count("Requests of this key that wait for a lane."),
    totals: Type.Object({
      resumed: count("Prompt tokens that were resumed, since the start."),
      prefilled: count("Prompt tokens that were prefilled."),
      generated: count("Tokens of replies."),
    }),
    speed: Type.Object({
      prefill: nullable(Type.Number({ description: "Prompt tokens a second, over all." })),
      reply: nullable(Type.Number({ description: "Tokens of replies a second, over all." })),
    }),
    memory: Type.Object({
      weights: bytes("Bytes of the model."),
      sequences: bytes("Bytes of all sequences, allocated up front."),
      states_max: bytes("Host memory that kept states may take, bytes."),
      process: nullable(bytes("Resident bytes of the server; null where there are API keys.")),
    }),
    lanes: Type.Array(LANE),
    turns: Type.Array(TURN, { description: "Newest first." }),
  },
  { $id: "Live", description: "No text of any message." },
);
