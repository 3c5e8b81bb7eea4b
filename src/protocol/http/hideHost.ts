/**
 * A request is routed by its path, whatever host it was sent to: Elysia looks for the path's slash behind the
 * eleventh character of the URL, where that of `http://llm/` has passed, and Bun gives no URL at all for a
 * Host header that is none.
 */

const HOST = /^[a-z]+:\/\/[^/?#]*/i;

/** Afterwards `request.url` is one of localhost, and can always be parsed. */
export function hideHost(request: Request): void {
  const rest = request.url.replace(HOST, "");
  const path = rest.startsWith("/") ? rest : `/${rest}`;
  Object.defineProperty(request, "url", { value: `http://localhost${path}` });
}
