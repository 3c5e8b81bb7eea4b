/** A tenant's name is an API key: what is written to disk is its hash. */
const TENANTS_MAX = 1024;
const known = new Map<string, string>();

/** SHA-256, in hexadecimal digits. */
export function tenantHash(tenant: string): string {
  const found = known.get(tenant);
  if (found !== undefined) return found;
  if (known.size >= TENANTS_MAX) known.clear();
  const hash = new Bun.CryptoHasher("sha256").update(tenant).digest("hex");
  known.set(tenant, hash);
  return hash;
}
