/** API keys: compared in constant time; each is a tenant of its own, whose states no other one resumes. */
import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "../../base/AppError.ts";

export interface ApiKey {
  /** For logs and lists, where the key itself never stands. */
  readonly name: string;
  readonly key: string;
}

export interface Auth {
  /**
   * "" without keys, else the key's hash, so that the key itself goes no further. Throws
   * AppError("unauthorized") for a missing or unknown key.
   */
  tenantOf(headers: Headers): string;
  /** The name of the key that was sent; null where none is known. */
  nameOf(headers: Headers): string | null;
  /** The name of a tenant's key; null without keys. */
  nameOfTenant(tenant: string): string | null;
}

export function authOf(keys: readonly ApiKey[]): Auth {
  if (keys.length === 0) {
    return { tenantOf: () => "", nameOf: () => null, nameOfTenant: () => null };
  }
  const known = keys.map(({ name, key }) => ({ name, digest: digest(key) }));
  const find = (headers: Headers): (typeof known)[number] | undefined => {
    const sent = sentKeys(headers).map(digest);
    // Every key is compared, so that the time taken does not say which one was close.
    const hits = known.filter(({ digest }) => sent.filter((one) => timingSafeEqual(digest, one)).length > 0);
    return hits[0];
  };
  return {
    nameOf: (headers) => find(headers)?.name ?? null,
    nameOfTenant: (tenant) => known.find(({ digest }) => digest.toString("hex") === tenant)?.name ?? null,
    tenantOf: (headers) => {
      const hit = find(headers);
      if (hit !== undefined) return hit.digest.toString("hex");
      const message =
        sentKeys(headers).length === 0
          ? "An API key is needed: send `Authorization: Bearer <key>`."
          : "This API key is not known here.";
      throw new AppError("unauthorized", message);
    },
  };
}

/**
 * In OpenAI's and llama-server's header, or in Anthropic's. Some clients fill both, and only one of them with the
 * key.
 */
function sentKeys(headers: Headers): string[] {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return [bearer, headers.get("x-api-key")].flatMap((key) => key?.trim() || []);
}

function digest(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
