/** A file of a repository, as the hub's list describes it. What comes from outside is checked here. */
export interface HubFile {
  /** Within the repository, with `/`; safe to join to a folder. */
  readonly path: string;
  readonly size: number;
  /** Hexadecimal. `sha256` of the bytes for files in large-file storage; `git` is a blob's id, for small ones. */
  readonly digest: { readonly kind: "sha256" | "git"; readonly hex: string };
}

const SHA256 = /^[0-9a-f]{64}$/;
const GIT = /^[0-9a-f]{40}$/;
const PATH_CHARS_MAX = 1_024;

/** undefined for folders, and for whatever has no size, no digest, or a path that leaves its folder. */
export function readHubFile(entry: unknown): HubFile | undefined {
  const { type, path, size, oid, lfs } = fields(entry);
  if (type !== "file" || typeof path !== "string" || !isSafe(path)) return undefined;
  const large = fields(lfs);
  const bytes = large["size"] ?? size;
  if (typeof bytes !== "number" || !Number.isSafeInteger(bytes) || bytes < 0) return undefined;
  const sha256 = typeof large["oid"] === "string" ? large["oid"].replace(/^sha256:/, "").toLowerCase() : "";
  if (SHA256.test(sha256)) return { path, size: bytes, digest: { kind: "sha256", hex: sha256 } };
  if (lfs === undefined && typeof oid === "string" && GIT.test(oid)) {
    return { path, size: bytes, digest: { kind: "git", hex: oid } };
  }
  return undefined;
}

/** A repository is a stranger's: no name of its may point out of the cache, or at the cache's own files. */
function isSafe(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (path.length > PATH_CHARS_MAX || /[\\:\u0000-\u001f]/.test(path)) return false;
  return path.split("/").every((part) => part !== "" && !part.startsWith("."));
}

/** The fields of an object, or none. */
export function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
