/** `/health`: whether the model is there, and whether the next turn is as ready as it gets. */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { documented } from "../http/documented.ts";
import { HEALTH } from "../http/schemas.ts";
import { errorBody } from "../shared/errorBody.ts";
import { OPENAI_ERROR } from "../shared/schemas.ts";
import { notReady, type ServerPhase } from "./ServerPhase.ts";

const PATHS = ["/health", "/v1/health"] as const;

const DOC = documented({
  tag: "server",
  summary: "Whether the model is loaded",
  description:
    "503 until the model is loaded. `sleeping`: the next request loads the model. `warm: idle`: no next turn is planned, waits or is being prefilled.",
  answer: HEALTH,
  error: Type.Union([HEALTH, OPENAI_ERROR]),
  refuses: ["loading", "closing"],
  open: true,
});

export function health(state: () => ServerPhase): Elysia {
  const app = new Elysia({ name: "health", aot: false });
  for (const path of PATHS) app.get(path, () => answer(state()), DOC);
  return app;
}

/** While there is no model it tells both in its own way and in llama-server's, by `error`. */
function answer(state: ServerPhase): Response {
  if (state.phase !== "ready") {
    const error = notReady(state.phase);
    const headers = { "retry-after": String(error.retryAfterSeconds) };
    return Response.json({ status: state.phase, ...errorBody(error) }, { status: 503, headers });
  }
  const { engine, warm } = state.chat.turn;
  const idle = warm.idle && engine.warm === "idle";
  const status = engine.sleep?.isAsleep === true ? "sleeping" : "ok";
  return Response.json({ status, warm: idle ? "idle" : "working" });
}
