/**
 * `response_fields`: only the fields that are named, a path with slashes as one name (`generation_settings/seed`).
 * What is not there is left out.
 */
export function pickFields(body: object, paths: readonly string[]): object {
  if (paths.length === 0) return body;
  return Object.fromEntries(paths.map((path) => [path, at(body, path)]));
}

/** JSON leaves out what is undefined. */
function at(body: object, path: string): unknown {
  let value: unknown = body;
  for (const key of path.split("/")) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    value = Object.entries(value).find(([name]) => name === key)?.[1];
  }
  return value;
}
