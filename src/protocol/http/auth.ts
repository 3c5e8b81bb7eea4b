/** API keys: compared in constant time; each is a tenant of its own, whose states no other one resumes. */
import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "../../errors.ts";

/** Gives the tenant: "" without keys, else the key's hash, so that the key itself goes no further. */
export type Auth = (headers: Headers) => string;

export function authOf(keys: readonly string[]): Auth {
  if (keys.length === 0) return () => "";
  const known = keys.map(digest);
  return (headers) => {
    const key = sentKey(headers);
    if (key === undefined) {
      throw new AppError("unauthorized", "An API key is needed: send `Authorization: Bearer <key>`.");
    }
    const sent = digest(key);
    // All are compared, so that the time says nothing of which one came near.
    const hits = known.filter((one) => timingSafeEqual(one, sent));
    if (hits.length === 0) throw new AppError("unauthorized", "This API key is not known here.");
    return sent.toString("hex");
  };
}

/** OpenAI's and llama-server's header, or Anthropic's. */
function sentKey(headers: Headers): string | undefined {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return bearer?.trim() ?? headers.get("x-api-key") ?? undefined;
}

function digest(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
