/**
 * A request is routed by its path, whatever host it was sent to. Elysia looks for the path behind the eleventh
 * character of the URL, which is too late where the host is as short as in `http://llm/`; and Bun gives no URL at all
 * where the Host header is malformed.
 */

const HOST = /^[a-z]+:\/\/[^/?#]*/i;

/** Afterwards `request.url` is one of localhost, and can always be parsed. */
export function hideHost(request: Request): void {
  const rest = request.url.replace(HOST, "");
  const path = rest.startsWith("/") ? rest : `/${rest}`;
  Object.defineProperty(request, "url", { value: `http://localhost${path}` });
}
