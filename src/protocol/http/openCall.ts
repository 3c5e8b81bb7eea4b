/** What a request for a reply begins with, in this order: the key, the model's readiness, the body, who asks. */

import type { Limits } from "../../base/limits.ts";
import type { Engine } from "../../run/Engine.ts";
import type { Caller } from "../../serve/runTurn.ts";
import { needsText } from "./needsText.ts";
import { readBody } from "./readBody.ts";
import { sessionHint } from "./sessionHint.ts";

interface CallDeps<Service> {
  /** Throws AppError while the model loads or the server closes. */
  readonly ready: () => Service;
  /** Throws AppError for an unknown key. */
  readonly tenantOf: (headers: Headers) => string;
  /** The request's id, for the log. */
  readonly requestIdOf?: (request: Request) => string;
}

interface OpenedCall<Service> {
  readonly service: Service;
  /** The body as it was sent. */
  readonly raw: string;
  readonly caller: Caller;
}

interface TextService {
  readonly limits: Limits;
  readonly turn: { readonly engine: Pick<Engine, "ready"> };
}

export async function openCall<Service extends TextService>(
  request: Request,
  deps: CallDeps<Service>,
): Promise<OpenedCall<Service>> {
  const { headers } = request;
  const tenant = deps.tenantOf(headers);
  const service = deps.ready();
  needsText(service);
  const raw = await readBody(request, service.limits.bodyBytesMax);
  const userAgent = headers.get("user-agent") ?? "";
  return {
    service,
    raw,
    caller: {
      tenant,
      userAgent,
      session: sessionHint(headers),
      requestId: deps.requestIdOf?.(request) ?? "",
    },
  };
}
