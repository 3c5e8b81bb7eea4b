/**
 * Responses and their items that a later request may name by id, each API key's own. They are text, so that their
 * size is known; the least recently used go first. What is gone is a 404 and never another prompt: an id stands
 * for the items that it was given out with, or for nothing.
 */
import type { Limits } from "../../base/limits.ts";

/** JSON texts of one response. */
export interface StoredResponse {
  /** As the client got it. */
  readonly body: string;
  /** The items that it was asked with, references resolved, without those of earlier responses. */
  readonly input: string;
  readonly output: string;
  /** The response that it went on from. */
  readonly previous: string | null;
}

/** JSON text of each item by its id. */
export type StoredItems = ReadonlyMap<string, string>;

type StoreLimits = Pick<Limits, "storedResponsesMax" | "storedCharsMax">;

interface Shelves {
  readonly responses: Shelf<{ readonly stored: StoredResponse; readonly itemIds: readonly string[] }>;
  /** Apart, so that what is only referred to by its items does not go with a long input. */
  readonly items: Shelf<string>;
}

export class ResponseStore {
  readonly #limits: StoreLimits;
  readonly #tenants = new Map<string, Shelves>();

  constructor(limits: StoreLimits) {
    this.#limits = limits;
  }

  save(tenant: string, id: string, stored: StoredResponse, items: StoredItems): void {
    const shelves = this.#shelves(tenant);
    for (const [itemId, text] of items) shelves.items.set(itemId, text, text.length);
    const chars = stored.body.length + stored.input.length + stored.output.length;
    shelves.responses.set(id, { stored, itemIds: [...items.keys()] }, chars);
  }

  response(tenant: string, id: string): StoredResponse | undefined {
    return this.#tenants.get(tenant)?.responses.get(id)?.stored;
  }

  item(tenant: string, id: string): string | undefined {
    return this.#tenants.get(tenant)?.items.get(id);
  }

  /** With its items. False where there is none. */
  delete(tenant: string, id: string): boolean {
    const shelves = this.#tenants.get(tenant);
    const found = shelves?.responses.get(id);
    if (shelves === undefined || found === undefined) return false;
    for (const itemId of found.itemIds) shelves.items.delete(itemId);
    shelves.responses.delete(id);
    return true;
  }

  /** As many as there are API keys. */
  #shelves(tenant: string): Shelves {
    const found = this.#tenants.get(tenant);
    if (found !== undefined) return found;
    const { storedResponsesMax, storedCharsMax } = this.#limits;
    const made: Shelves = {
      responses: new Shelf(storedResponsesMax, storedCharsMax),
      items: new Shelf(storedResponsesMax * ITEMS_EACH, storedCharsMax),
    };
    this.#tenants.set(tenant, made);
    return made;
  }
}

/** Items of a response on average, at most: reasoning, text and a handful of calls. */
const ITEMS_EACH = 8;

/** In order of use, the last used one last. */
class Shelf<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly chars: number }>();
  readonly #countMax: number;
  readonly #charsMax: number;
  #chars = 0;

  constructor(countMax: number, charsMax: number) {
    this.#countMax = countMax;
    this.#charsMax = charsMax;
  }

  get(id: string): V | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry.value;
  }

  set(id: string, value: V, chars: number): void {
    this.delete(id);
    this.#entries.set(id, { value, chars });
    this.#chars += chars;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#countMax && this.#chars <= this.#charsMax) break;
      this.delete(oldest);
    }
  }

  delete(id: string): void {
    this.#chars -= this.#entries.get(id)?.chars ?? 0;
    this.#entries.delete(id);
  }
}
