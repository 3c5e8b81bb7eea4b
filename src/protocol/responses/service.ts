/** `/v1/responses` without HTTP in it. */
import { AppError } from "../../base/AppError.ts";
import { writeJson } from "../../json/writeJson.ts";
import { type Caller, type RunningTurn, runTurn } from "../../serve/runTurn.ts";
import { parseBody } from "../http/parseBody.ts";
import { servedModel } from "../http/servedModel.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import { type ResponsesRequest, readResponsesRequest } from "./model.ts";
import type { OutputItem } from "./outputItem.ts";
import type { ResponseStore } from "./ResponseStore.ts";
import type { ResponseHeading } from "./responseBody.ts";
import { ResponseWriter } from "./responseEvents.ts";

export interface StartedResponse {
  readonly request: ResponsesRequest;
  readonly writer: ResponseWriter;
  readonly running: RunningTurn;
}

/** `session` is the headers' hint. Throws AppError for everything that can be refused before the engine has it. */
export function startResponse(
  raw: string,
  caller: Caller,
  store: ResponseStore,
  deps: ServiceDeps,
  signal: AbortSignal,
): StartedResponse {
  const { tenant } = caller;
  const { sampling, clock, newId } = deps;
  const stored = {
    response: (id: string) => store.response(tenant, id),
    item: (id: string) => store.item(tenant, id),
  };
  const request = readResponsesRequest(parseBody(raw), { sampling, stored });
  const heading: ResponseHeading = {
    id: `resp_${newId()}`,
    createdSeconds: clock.nowSeconds(),
    model: servedModel(request.model, deps.models),
    echo: request.echo,
  };
  const session = caller.session || request.session;
  const running = ofInput(() =>
    runTurn(request.turn, { ...caller, session, scope: request.scope }, deps.turn, signal),
  );
  const writer = new ResponseWriter({
    ...request,
    heading,
    newId,
    vocab: deps.turn.vocab,
    nowSeconds: () => clock.nowSeconds(),
    onEnd: (body, output) => {
      if (request.store) save(store, tenant, heading.id, request, body, output);
    },
  });
  return { request, writer, running };
}

/** What is wrong with the conversation as a whole is said of `messages`, which are `input` here. */
function ofInput<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof AppError) || error.field !== "messages") throw error;
    throw new AppError(error.code, error.message, { field: "input", numbers: error.numbers });
  }
}

function save(
  store: ResponseStore,
  tenant: string,
  id: string,
  request: ResponsesRequest,
  body: string,
  output: readonly OutputItem[],
): void {
  const input = writeJson(request.input, "compact");
  const items = new Map(output.map((item) => [item.id, JSON.stringify(item)]));
  store.save(tenant, id, { body, input, output: JSON.stringify(output), previous: request.previous }, items);
}

/** The JSON text of a stored response. */
export function storedResponse(id: string, tenant: string, store: ResponseStore): string {
  const found = store.response(tenant, id);
  if (found === undefined) throw notStored(id);
  return found.body;
}

export function deleteResponse(id: string, tenant: string, store: ResponseStore): object {
  if (!store.delete(tenant, id)) throw notStored(id);
  return { id, object: "response", deleted: true };
}

function notStored(id: string): AppError {
  return new AppError("not-found", `Response "${id}" is not stored here.`, { field: "response_id" });
}
