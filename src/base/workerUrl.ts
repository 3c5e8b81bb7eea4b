/**
 * Where a Worker's module lies: beside the sources, or inside the executable, whose build names every Worker
 * as an entry point with the project's root as its root (`scripts/build.ts`).
 */
const COMPILED_ROOT = "file:///$bunfs/root/";

/** True inside `dist/warmturn`. */
export const isCompiled: boolean = import.meta.url.startsWith(COMPILED_ROOT);

/** `path` is relative to `src/`, without extension, e.g. `engine/worker`. */
export function workerUrl(path: string): string {
  return isCompiled ? `/$bunfs/root/src/${path}.js` : new URL(`../${path}.ts`, import.meta.url).href;
}
