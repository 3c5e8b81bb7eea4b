/**
 * With whom a request shares kept states: with its API key's other requests, or, where states are shared, with all. A
 * salt narrows it to requests of the same salt, and `prompt_cache_key`, where states are shared, to those of its own;
 * within one key that one is no border but a hint whose conversation a request is, and sessions share their head.
 */
export interface StateScope {
  /** `cache_salt`; "" for none. */
  readonly salt: string;
  /** `prompt_cache_key`; "" for none. */
  readonly promptKey: string;
}

/** What starts the key chain, in the tenant's place. */
export function stateTenant(tenant: string, scope: StateScope | undefined, shares: boolean): string {
  const { salt, promptKey } = scope ?? { salt: "", promptKey: "" };
  const whose = shares ? ["shared", promptKey] : ["key", tenant];
  if (salt === "" && (shares ? promptKey === "" : true)) return shares ? "" : tenant;
  return JSON.stringify([...whose, salt]);
}
