/** Which methods a path takes, by the routes themselves: what a 405 says. */

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly hooks?: object;
}

/** "GET, HEAD", or null where there is nothing at the path. */
export type Methods = (path: string) => string | null;

/** Throws where a route is not `documented`: `/openapi.json` would miss it. */
export function methodsOf(routes: readonly Route[]): Methods {
  const patterns = new Map<string, { readonly matches: RegExp; readonly methods: string[] }>();
  for (const { method, path, hooks } of routes) {
    if (hooks === undefined || !("detail" in hooks)) {
      throw new Error(`${method} ${path} says nothing of itself: give it \`documented({ … })\` as its hook.`);
    }
    const known = patterns.get(path) ?? { matches: patternOf(path), methods: [] };
    known.methods.push(...(method === "GET" ? ["GET", "HEAD"] : [method]));
    patterns.set(path, known);
  }
  return (path) => {
    const hits = [...patterns.values()].filter(({ matches }) => matches.test(path));
    return hits.length === 0 ? null : [...new Set(hits.flatMap(({ methods }) => methods))].join(", ");
  };
}

/** `:id` is one part of a path, `*` any number. */
function patternOf(path: string): RegExp {
  const parts = path
    .split("/")
    .map((part) => (part === "*" ? ".+" : part.startsWith(":") ? "[^/]+" : RegExp.escape(part)));
  return new RegExp(`^${parts.join("/")}/?$`);
}
