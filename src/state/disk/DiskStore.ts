/**
 * What is kept on disk: which pieces there are, which of them a plan can be resumed from, and what goes when there is no
 * room. The same pieces as in host memory, named by the plan's keys. A piece counts as kept only once it and its name
 * are synced. A piece that cannot be read is gone, with all that lay behind it: a miss, never an error.
 */
import type { Plan } from "../../plan/Plan.ts";
import type { MemoryKind } from "../../run/EngineReady.ts";
import { cutAt } from "../Chain.ts";
import { mustHold } from "../IntegrityError.ts";
import type { Turns } from "../Turns.ts";
import { worthOf } from "../worth.ts";
import { nameOf, type StateFolder } from "./StateFolder.ts";
import { fileBytes, type StateHead } from "./stateFile.ts";
import { tenantHash } from "./tenantHash.ts";

export interface DiskOptions {
  readonly memory: MemoryKind;
  readonly folder: StateFolder;
  readonly fingerprint: bigint;
  readonly budgetBytes: number;
  readonly turns: Turns;
  readonly onLost: (key: bigint, tenant: string) => void;
  /** Milliseconds. */
  readonly clock: () => number;
}

/** Another server on the same folder is heard of this late at most, when something is written. */
const ADOPT_MS = 60_000;

/** Whose turn a piece is of. */
export interface Owner {
  readonly conversation: string;
  readonly turn: number;
  readonly variant: number;
}

/** A piece that is to be written. */
export interface NewPiece extends Omit<StateHead, "fingerprint" | "tenant" | "payloadBytes"> {
  readonly payload: Uint8Array;
}

/** What a plan can be resumed from. */
export interface OnDisk {
  /** Chunks of the plan. */
  readonly index: number;
  readonly rows: readonly Entry[];
  readonly partial: Entry | null;
  /** For each chunk: 1 where a warm run evaluated it. */
  readonly warm: Uint8Array;
}

interface Entry extends Owner {
  readonly head: StateHead;
  readonly bytes: number;
  conversation: string;
  turn: number;
  variant: number;
  usedAt: number;
  /** A head that more than one conversation has begun with. */
  shared: boolean;
  /** Pieces that are worth nothing without this one. */
  dependents: number;
  /** Payloads of the rows that it stands behind. */
  frontBytes: number;
  tenantName: string;
}

export class DiskStore {
  readonly #options: DiskOptions;
  #adoptedAt = 0;
  readonly #rows = new Map<bigint, Entry>();
  readonly #partials = new Map<bigint, Entry>();
  /** A piece is being written behind these: they stay. */
  #pinned: ReadonlySet<bigint> = new Set();
  #bytes = 0;
  #writing: Promise<void> | null = null;

  constructor(options: DiskOptions) {
    this.#options = options;
    this.#adopt();
    this.#makeRoom(0, Number.POSITIVE_INFINITY, 0);
  }

  /**
   * Takes in what the last process left, or another one on this folder has written since, and forgets what is no longer
   * there. Used before anything that this process used: in the order of their last use.
   */
  #adopt(): void {
    const { folder } = this.#options;
    const known = new Map([...this.#all()].map((entry) => [nameOf(entry.head), entry]));
    const { found, names } = folder.list((name) => known.has(name));
    for (const [name, entry] of known) if (!names.has(name)) this.#unlist(entry);
    for (const [i, { head }] of found.entries()) this.#list(newEntry(head, i - found.length));
    // Files are written in order: what has a gap in front is what was left when that was removed.
    for (const entry of [...this.#all()]) if (!this.#hasRows(entry)) this.#unlist(entry);
    for (const entry of this.#all()) entry.dependents = 0;
    for (const entry of this.#all()) this.#depend(entry, 1);
    for (const entry of [...this.#all()].sort((a, b) => cutOf(a.head) - cutOf(b.head))) {
      const front = this.#front(entry.head);
      entry.frontBytes = front === undefined ? 0 : front.frontBytes + front.head.payloadBytes;
    }
    this.#adoptedAt = this.#options.clock();
  }

  get bytes(): number {
    return this.#bytes;
  }

  get pieces(): number {
    return this.#rows.size + this.#partials.size;
  }

  /** Of the files that are kept. */
  get names(): readonly string[] {
    return [...this.#all()].map(({ head }) => nameOf(head));
  }

  /** Files that were not what they should be, and were moved aside. */
  get damaged(): number {
    return this.#options.folder.damaged;
  }

  /** Whether something may be written now. */
  get takesMore(): boolean {
    return this.#writing === null && !this.#options.folder.isPaused;
  }

  /** Resolves when what was handed in is on the disk, or is not going to be. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  /** Of the plan's first `limit` chunks, how many have their rows here. */
  knownRows(tenant: string, plan: Plan, limit: number): number {
    return this.#chain(tenantHash(tenant), plan, limit).length;
  }

  hasPartial(tenant: string, key: bigint): boolean {
    return this.#partials.get(key)?.head.tenant === tenantHash(tenant);
  }

  /** The longest cut that can be resumed. */
  find(tenant: string, plan: Plan): OnDisk | null {
    const { memory } = this.#options;
    const hash = tenantHash(tenant);
    const rows = memory === "recurrent" ? [] : this.#chain(hash, plan, plan.keys.length);
    const most = memory === "recurrent" ? plan.keys.length : rows.length;
    for (let index = most; index > 0; index--) {
      const partial = memory === "dense" ? null : this.#partialAt(hash, plan, index);
      if (memory !== "dense" && partial === null) continue;
      const used = rows.slice(0, index);
      const flags = used.map(({ head }) => (head.warm ? 1 : 0));
      const warm = new Uint8Array(index).fill(partial?.head.warm ? 1 : 0);
      warm.set(flags);
      return { index, rows: used, partial, warm };
    }
    return null;
  }

  #chain(tenant: string, plan: Plan, limit: number): readonly Entry[] {
    const found: Entry[] = [];
    for (let chunk = 0; chunk < Math.min(limit, plan.keys.length); chunk++) {
      const entry = this.#rows.get(plan.keys[chunk] ?? 0n);
      if (entry === undefined || entry.head.tenant !== tenant) break;
      const { before, from, tokens } = entry.head;
      if (before !== (found.at(-1)?.head.key ?? 0n) || from !== cutAt(plan, chunk)) break;
      if (!startsWith(plan.tokens.subarray(from, cutAt(plan, chunk + 1)), tokens)) break;
      found.push(entry);
    }
    return found;
  }

  #partialAt(tenant: string, plan: Plan, index: number): Entry | null {
    const entry = this.#partials.get(plan.keys[index - 1] ?? 0n);
    if (entry === undefined || entry.head.tenant !== tenant) return null;
    const { from, tokens } = entry.head;
    if (from + tokens.length !== cutAt(plan, index)) return null;
    return startsWith(plan.tokens.subarray(from, from + tokens.length), tokens) ? entry : null;
  }

  /** null where a piece is not what it was: it is gone then. */
  load(found: OnDisk): { readonly rows: readonly Uint8Array[]; readonly partial: Uint8Array | null } | null {
    const rows: Uint8Array[] = [];
    for (const entry of found.rows) {
      const payload = this.#read(entry);
      if (payload === null) return null;
      rows.push(payload);
    }
    const partial = found.partial === null ? null : this.#read(found.partial);
    return found.partial !== null && partial === null ? null : { rows, partial };
  }

  #read(entry: Entry): Uint8Array | null {
    const payload = this.#options.folder.read(entry.head);
    if (payload === null) this.#drop(entry, false);
    return payload;
  }

  /** These are this turn's now. */
  touch({ rows, partial }: OnDisk, tenant: string, by: Owner, now: number): void {
    for (const entry of partial === null ? rows : [...rows, partial]) this.#use(entry, tenant, by, now);
  }

  #use(entry: Entry, tenant: string, by: Owner, now: number): void {
    entry.shared ||= entry.head.head && entry.conversation !== "" && entry.conversation !== by.conversation;
    entry.tenantName = tenant;
    entry.usedAt = now;
    entry.conversation = by.conversation;
    entry.turn = by.turn;
    entry.variant = by.variant;
  }

  /**
   * Writes these, each behind the one before, off the caller's thread. They are kept once `settled`; what there is no
   * room for is not written, nor what would lie behind it.
   */
  write(tenant: string, plan: Plan, pieces: readonly NewPiece[], owner: Owner, now: number): void {
    if (this.#writing !== null) throw new Error("states are written one after the other");
    if (this.#options.clock() - this.#adoptedAt > ADOPT_MS) this.#adopt();
    const pinned = new Set(plan.keys);
    this.#pinned = pinned;
    for (const entry of this.#chain(tenantHash(tenant), plan, plan.keys.length))
      this.#use(entry, tenant, owner, now);
    this.#writing = this.#writeAll(tenant, pieces, owner, now).finally(() => {
      this.#pinned = new Set();
      this.#writing = null;
    });
  }

  async #writeAll(tenant: string, pieces: readonly NewPiece[], owner: Owner, now: number): Promise<void> {
    const { folder } = this.#options;
    const entries = this.#newEntries(tenant, pieces, owner, now);
    // A piece is worth what the best that stands behind it is.
    const worths = entries.map((entry) => this.#worth(entry, now));
    for (let i = worths.length - 2; i >= 0; i--) worths[i] = Math.max(worths[i] ?? 0, worths[i + 1] ?? 0);
    const written: Entry[] = [];
    let pending = 0;
    for (const [i, { payload }] of pieces.entries()) {
      const entry = entries[i];
      if (entry === undefined || !this.#makeRoom(entry.bytes + pending, worths[i] ?? 0, now)) break;
      if (!(await folder.write(entry.head, payload))) break;
      written.push(entry);
      pending += entry.bytes;
    }
    if (written.length === 0 || !(await folder.sync())) return;
    for (const entry of written) {
      this.#list(entry);
      this.#depend(entry, 1);
      this.#use(entry, tenant, owner, now);
    }
  }

  #newEntries(tenant: string, pieces: readonly NewPiece[], owner: Owner, now: number): readonly Entry[] {
    const { fingerprint } = this.#options;
    const rows = new Map<bigint, Entry>();
    return pieces.map(({ payload, ...piece }) => {
      const head = { ...piece, fingerprint, tenant: tenantHash(tenant), payloadBytes: payload.length };
      const front = rows.get(frontKey(head)) ?? this.#front(head);
      const frontBytes = front === undefined ? 0 : front.frontBytes + front.head.payloadBytes;
      const entry = { ...newEntry(head, now), ...owner, frontBytes };
      if (head.kind === "rows") rows.set(head.key, entry);
      return entry;
    });
  }

  #list(entry: Entry): void {
    const map = entry.head.kind === "rows" ? this.#rows : this.#partials;
    map.set(entry.head.key, entry);
    this.#bytes += entry.bytes;
  }

  /** The rows in front of it are there, without a gap. */
  #hasRows(entry: Entry): boolean {
    const { kind, from, before, key, tokens } = entry.head;
    if (kind === "partial") return tokens.length > 0 ? from === 0 : this.#rows.has(key);
    if (from === 0) return before === 0n;
    const parent = this.#rows.get(before);
    if (parent === undefined || parent.head.from + parent.head.tokens.length !== from) return false;
    return parent.head.tenant === entry.head.tenant && this.#hasRows(parent);
  }

  #depend(entry: Entry, by: 1 | -1): void {
    const front = this.#front(entry.head);
    if (front !== undefined) front.dependents += by;
  }

  /** The rows that a piece stands behind. */
  #front(head: StateHead): Entry | undefined {
    return this.#rows.get(frontKey(head));
  }

  #unlist(entry: Entry): boolean {
    const map = entry.head.kind === "rows" ? this.#rows : this.#partials;
    if (map.get(entry.head.key) !== entry) return false;
    map.delete(entry.head.key);
    this.#bytes -= entry.bytes;
    return true;
  }

  /** With all that lies behind it. */
  #drop(entry: Entry, removes: boolean): void {
    if (!this.#unlist(entry)) return;
    this.#depend(entry, -1);
    if (removes) this.#options.folder.remove(entry.head);
    this.#options.onLost(entry.head.key, entry.tenantName);
    if (entry.head.kind === "partial") return;
    for (const other of [...this.#all()])
      if (frontKey(other.head) === entry.head.key) this.#drop(other, true);
  }

  #makeRoom(bytes: number, worth: number, now: number): boolean {
    const { folder, budgetBytes } = this.#options;
    // States of other models and settings keep half of the room, as long as these want no more than the other half.
    while (this.#bytes + bytes + folder.foreignBytes > budgetBytes) {
      if (this.#bytes + bytes <= budgetBytes / 2 && folder.dropForeign()) continue;
      let least: Entry | null = null;
      let leastWorth = worth;
      for (const entry of this.#all()) {
        if (entry.dependents > 0 || this.#pinned.has(entry.head.key)) continue;
        const own = this.#worth(entry, now);
        if (own >= leastWorth) continue;
        least = entry;
        leastWorth = own;
      }
      if (least === null) return false;
      this.#drop(least, true);
    }
    return true;
  }

  #worth(entry: Entry, now: number): number {
    const { memory, turns } = this.#options;
    const { head, conversation, turn, variant, usedAt, shared } = entry;
    // Rows that nothing stands behind any more can be resumed on dense memory alone.
    const isLoose = head.kind === "rows" && memory !== "dense" && !this.#pinned.has(head.key);
    if (isLoose) return 0;
    // Of the whole state that ends here: pieces of one prompt are worth the same, and the last one goes first.
    const tokens = cutOf(head);
    const bytes = entry.frontBytes + head.payloadBytes;
    const superseded = turn < turns.newest(conversation);
    const returns = head.head ? turns.headReturns(conversation) : turns.returns(conversation);
    return worthOf({ tokens, bytes, usedAt, shared, returns, variant, superseded }, now);
  }

  /** Throws IntegrityError where the books do not balance. */
  checkIntegrity(): void {
    const all = [...this.#all()];
    const bytes = all.reduce((sum, entry) => sum + entry.bytes, 0);
    mustHold(bytes === this.#bytes, () => `files have ${bytes} bytes, and ${this.#bytes} are counted`);
    for (const entry of all) {
      const name = nameOf(entry.head);
      mustHold(this.#hasRows(entry), () => `${name} has no rows in front`);
      const behind = all.filter(
        ({ head }) => frontKey(head) === entry.head.key && entry.head.kind === "rows",
      ).length;
      mustHold(
        behind === entry.dependents,
        () => `${behind} stand behind ${name}, and ${entry.dependents} are counted`,
      );
      const front = this.#front(entry.head);
      const frontBytes = front === undefined ? 0 : front.frontBytes + front.head.payloadBytes;
      mustHold(frontBytes === entry.frontBytes, () => `${name} has ${frontBytes} bytes in front`);
    }
  }

  *#all(): Iterable<Entry> {
    yield* this.#rows.values();
    yield* this.#partials.values();
  }
}

function newEntry(head: StateHead, usedAt: number): Entry {
  const owner = { conversation: "", turn: 0, variant: 0 };
  const bytes = fileBytes(head);
  return { ...owner, head, bytes, usedAt, shared: false, dependents: 0, frontBytes: 0, tenantName: "" };
}

/** Where the state that a piece belongs to stands. */
function cutOf({ from, tokens }: StateHead): number {
  return from + tokens.length;
}

/** Key of the rows that a piece stands behind; 0 where it stands alone. */
function frontKey({ kind, before, key, tokens }: StateHead): bigint {
  if (kind === "rows") return before;
  return tokens.length > 0 ? 0n : key;
}

function startsWith(tokens: Int32Array, own: Int32Array): boolean {
  return tokens.length === own.length && own.every((token, i) => token === tokens[i]);
}
