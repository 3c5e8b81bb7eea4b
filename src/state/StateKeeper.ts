/**
 * Kept states: what a run resumes from, where it goes, and what stays afterwards. It changes speed, never a
 * bit: every state it hands out is the one that a cold run of the same plan has at that cut.
 */

import type { Plan } from "../plan/Plan.ts";
import type { Device } from "../run/Device.ts";
import { cutAt } from "./Chain.ts";
import { DiskSaver } from "./disk/DiskSaver.ts";
import type { DiskStore } from "./disk/DiskStore.ts";
import { type DiskTier, openDiskStore } from "./disk/openDiskStore.ts";
import { type Found, findResume, type States } from "./findResume.ts";
import { HostStore } from "./HostStore.ts";
import type { HandedOver } from "./handOver.ts";
import { mustHold } from "./IntegrityError.ts";
import { LostKeys } from "./LostKeys.ts";
import { loadState } from "./loadState.ts";
import { type Miss, missReason } from "./missReason.ts";
import { Parking } from "./Parking.ts";
import { Placement, type Target, type Want } from "./Placement.ts";
import { type Begun, type Resumed, whatResumed } from "./Resumed.ts";
import { Sequence } from "./Sequence.ts";
import { SequenceSaver } from "./SequenceSaver.ts";
import { Snapshots } from "./Snapshots.ts";
import { type Moves, StateMover } from "./StateMover.ts";
import { checkStates } from "./stateIntegrity.ts";
import { Turns } from "./Turns.ts";

/** A request that comes meanwhile waits so long for its first token at most, or for a chunk's time. */
const IDLE_SAVE_MS_MAX = 100;

export interface KeeperOptions {
  readonly device: Device;
  readonly stateRamBytes: number;
  /** False: nothing is kept or resumed; trips are taken all the same. */
  readonly resumeAllowed: boolean;
  /** False: no snapshot is kept, since none could be gone back to. */
  readonly rollsBack: boolean;
  /** Tokens of a full chunk: in the background a full save may take no longer than one. */
  readonly chunkTokensMax: number;
  /** Milliseconds. */
  readonly now: () => number;
}

export interface RunStart extends Want {
  /** Unique for the engine's life. */
  readonly id: number;
  readonly plan: Plan;
  /** No other request runs or waits. */
  readonly alone: boolean;
  /** Whether anything kept may be used. */
  readonly resumes: boolean;
}

export class StateKeeper {
  readonly sequences: readonly Sequence[];
  readonly #options: KeeperOptions;
  readonly #states: States;
  readonly #mover: StateMover;
  readonly #placement: Placement;
  readonly #saver: SequenceSaver;
  #diskSaver: DiskSaver | null = null;
  readonly #parking: Parking;
  readonly #snapshots: Snapshots;
  readonly #lost = new LostKeys();
  /** Seen when a run begins, so that a conversation's state is not outdated while its request waits. */
  readonly #turns = new Turns();
  readonly #condemned = new Set<Sequence>();
  #tick = 0;
  #prefillMsPerToken = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
    const { device } = options;
    this.sequences = Array.from(
      { length: device.lanes + device.spares },
      (_, index) => new Sequence(index, index < device.lanes),
    );
    const budget = options.resumeAllowed ? options.stateRamBytes : 0;
    const store = new HostStore(budget, this.#turns, (key, tenant) => this.#lost.add(key, tenant));
    this.#states = { memory: device.memory, sequences: this.sequences, store, disk: null };
    this.#mover = new StateMover(device, options.now);
    this.#snapshots = new Snapshots(this.#states, this.#mover, this.#turns, options.rollsBack);
    this.#placement = new Placement(this.#states, this.#turns);
    const turns = this.#turns;
    const states = this.#states;
    const mover = this.#mover;
    this.#saver = new SequenceSaver({ device, states, mover, turns });
    this.#parking = new Parking({
      device,
      mover: this.#mover,
      placement: this.#placement,
      saver: this.#saver,
      onLost: (sequence, from) => this.#lose(sequence, from),
    });
  }

  get hostBytes(): number {
    return this.#states.store.bytes;
  }

  /** Of those, rows: each once, whoever needs them. */
  get savedRowBytes(): number {
    return this.#states.store.pieces.bytes;
  }

  /** Throws IntegrityError where the books do not balance (`stateIntegrity.ts`). Call it between two steps. */
  checkIntegrity(): void {
    checkStates(this.#states);
    for (const sequence of this.#condemned) {
      mustHold(
        sequence.busy && sequence.chain === null,
        () => `sequence ${sequence.index} is condemned, and in use`,
      );
    }
  }

  /** Nobody gets this sequence until memory is wiped. */
  isCondemned(sequence: Sequence): boolean {
    return this.#condemned.has(sequence);
  }

  /**
   * Everything that can be resumed, what lies in live sequences too where there is room; for `takeOver` of the next
   * engine's keeper. Only while no request runs; this keeper is of no use afterwards.
   */
  handOver(): HandedOver {
    const { store } = this.#states;
    for (const sequence of this.sequences) this.#saver.save(sequence, this.#tick, { bytes: 0, ms: 0 });
    return [...store.snapshots, ...store.saves];
  }

  /** Before the first run. Ticks go on from the last use of what is taken over. */
  takeOver(states: HandedOver): void {
    this.#states.store.takeOver(states);
    this.#tick = states.reduce((most, { usedAt }) => Math.max(most, usedAt), this.#tick);
  }

  get disk(): DiskStore | null {
    return this.#states.disk;
  }

  /** From now on kept states go to disk too, and what is there already is found. */
  openDisk(tier: DiskTier): void {
    const { device, now, resumeAllowed } = this.#options;
    if (!resumeAllowed) return;
    const states = this.#states;
    const mover = this.#mover;
    const onLost = (key: bigint, tenant: string): void => this.#lost.add(key, tenant);
    const disk = openDiskStore(tier, { memory: device.memory, turns: this.#turns, onLost, clock: now });
    states.disk = disk;
    const mayTake = (ms: number): boolean => ms <= Math.max(IDLE_SAVE_MS_MAX, this.#chunkMs());
    this.#diskSaver = new DiskSaver({ states, disk, mover, saver: this.#saver, mayTake });
  }

  /** Nobody is served: hands one state to the disk, and says whether there may be more. */
  saveIdle(): boolean {
    return this.#diskSaver?.step(this.#tick, false) ?? false;
  }

  /** Whatever is kept goes to the disk, before the engine closes. */
  async saveAll(): Promise<void> {
    do await this.#states.disk?.settled();
    while (this.#diskSaver?.step(this.#tick, true) === true);
  }

  hasIdleLane(): boolean {
    return this.sequences.some((sequence) => sequence.isLane && !sequence.busy);
  }

  /** Resumes as far as anything kept allows, and leaves the run's sequence at that cut. */
  begin(start: RunStart, moves: Moves): Begun {
    this.#tick++;
    this.#placement.now = this.#tick;
    this.#turns.see(start.conversation, start.turn, start.awaitsResults);
    const { plan } = start;
    const found = this.#options.resumeAllowed && start.resumes ? this.#find(start) : null;
    const miss = this.#miss(start, found);
    this.#diskSaver?.changed();
    if (found !== null) this.#snapshots.touch(plan, start, found, this.#tick);
    if (found?.place.kind === "disk")
      this.#states.disk?.touch(found.place.found, start.tenant, start, this.#tick);
    if (start.purpose === "warm" && found?.index === plan.keys.length) {
      if (start.variant === 0) this.#turns.setWarmed(start.conversation, start.turn);
      const at = found.place.kind === "sequence" ? found.place.sequence : this.#anySequence();
      return { type: "complete", resumed: { ...whatResumed(found, at, true), ...miss } };
    }
    const target = this.#placement.choose(start, found);
    if (target === null) return { type: "nowhere" };
    try {
      if (target.park === "host")
        return { type: this.#saveFirst(start, target.sequence, moves) ? "saved" : "nowhere" };
      const resumed = this.#take(start, target, found, miss, moves);
      // A piece on disk was not what it should be, or what was found made room: the next best state, then.
      return resumed === null ? this.begin(start, moves) : { type: "started", resumed };
    } catch (error) {
      this.reset(target.sequence);
      throw error;
    }
  }

  #miss({ plan, tenant, resumes }: RunStart, found: Found | null): Miss {
    if (!this.#options.resumeAllowed) return { missReason: "resume-off", missAt: -1 };
    if (!resumes) return { missReason: "not-asked", missAt: -1 };
    return missReason(this.#states, this.#turns, this.#lost, tenant, plan, found?.index ?? 0);
  }

  /** A warm run of this turn waits: it says whether results are awaited, which matters before it begins. */
  expect({ id, turn }: { readonly id: string; readonly turn: number }, awaitsResults: boolean): void {
    if (turn === this.#turns.newest(id)) this.#turns.see(id, turn, awaitsResults);
  }

  /** Tokens at the plan's head that a run could resume now. */
  keptTokens(tenant: string, plan: Plan): number {
    if (!this.#options.resumeAllowed) return 0;
    return cutAt(plan, findResume(this.#states, tenant, plan, () => 0)?.index ?? 0);
  }

  #saveFirst(start: RunStart, sequence: Sequence, moves: Moves): boolean {
    if (!this.#mayBlock(start, sequence, 0) || !this.#saver.save(sequence, this.#tick, moves)) return false;
    // What is left of a window lies between two trips, and goes.
    if (this.#states.memory === "window") sequence.live = false;
    return true;
  }

  #find(start: RunStart): Found | null {
    return findResume(this.#states, start.tenant, start.plan, this.#placement.rank(start));
  }

  #take(start: RunStart, target: Target, first: Found | null, miss: Miss, moves: Moves): Resumed | null {
    const { sequence, inPlace } = target;
    const { device } = this.#options;
    const loaded = first?.place.kind === "disk" ? (this.#states.disk?.load(first.place.found) ?? null) : null;
    if (first?.place.kind === "disk" && loaded === null) return null;
    if (target.park === "any" && this.#park(start, target, first, moves)) return null;
    if (!inPlace) this.#placement.handDown(sequence);
    // Parking a state that could not be rolled back has emptied its sequence.
    const isGone = first?.place.kind === "sequence" && first.place.sequence.chain === null;
    const found = isGone ? null : first;
    this.#lose(sequence, inPlace && found !== null ? found.index : 0);
    if (!isGone && loadState(this.#mover, device, sequence, found, inPlace, start.plan, loaded, moves)) {
      this.#adopt(start, sequence, found, moves);
      return { ...whatResumed(found, sequence, inPlace), ...miss };
    }
    // What does not fit this context is a miss, never an error.
    if (found !== null) this.#dropState(found);
    sequence.forget();
    device.clear(sequence.index);
    this.#adopt(start, sequence, null, moves);
    const evicted: Miss = { missReason: "evicted", missAt: miss.missAt };
    return { ...whatResumed(null, sequence, false), ...evicted };
  }

  /** True where what the run was to resume from has made room for what is worth more. */
  #park(start: RunStart, target: Target, found: Found | null, moves: Moves): boolean {
    const { sequence, inPlace } = target;
    const source = found?.place.kind === "sequence" ? found.place.sequence : null;
    const from = inPlace ? (found?.index ?? 0) : 0;
    const lost = this.#placement.lostTokens(sequence, from);
    // What its conversation has left behind is moved only where that is cheaper than prefilling it again.
    if (this.#placement.isOutdated(sequence) && this.#moveMs(sequence) > lost * this.#prefillMsPerToken)
      return false;
    const mayFullSave = this.#mayBlock(start, sequence, lost);
    return this.#parking.park(
      { sequence, from, source, mayFullSave, conversation: start.conversation },
      this.#tick,
      moves,
    );
  }

  /** The run's rows are in place up to where it resumes: the sequence is its own from here on. */
  #adopt(start: RunStart, sequence: Sequence, found: Found | null, moves: Moves): void {
    const { plan } = start;
    const length = found?.index ?? 0;
    const warm = new Uint8Array(plan.cuts.length);
    if (found !== null) warm.set(found.chain.warm.subarray(0, length));
    const { tenant, conversation, turn, variant } = start;
    const end = cutAt(plan, length);
    const asked = start.purpose === "request" ? plan.keys.length : Math.min(length, found?.chain.asked ?? 0);
    sequence.chain = { tenant, conversation, turn, plan, variant, warm, asked, length, end };
    sequence.live = true;
    sequence.rows = end;
    sequence.writer = start.id;
    sequence.usedAt = this.#tick;
    sequence.busy = start.purpose === "request";
    this.#snapshots.adopt(sequence, sequence.chain, this.#tick, moves);
  }

  /** The device has evaluated chunk `chunk` of the sequence's plan. Takes its trip, keeps its state. */
  chunkDone(sequence: Sequence, chunk: number, warm: boolean, moves: Moves): void {
    const { chain } = sequence;
    if (chain === null) throw new Error("a chunk was evaluated in a sequence without a run");
    chain.warm[chunk] = warm ? 1 : 0;
    chain.length = chunk + 1;
    chain.end = cutAt(chain.plan, chunk + 1);
    sequence.rows = chain.end;
    sequence.live = true;
    this.#snapshots.keep(sequence, chunk, this.#tick, moves);
  }

  /** Tokens were decoded: the live end is gone. */
  advanced(sequence: Sequence, rows: number): void {
    sequence.advance(rows);
  }

  /** The last chunk, behind the last cut, was evaluated: `rows` tokens. */
  promptDone(sequence: Sequence, rows: number): void {
    sequence.advance(rows);
    if (sequence.chain !== null) sequence.chain.end = sequence.rows;
  }

  /** A device evaluation has returned; `tokens` is 0 for a decode step. */
  evaluated(tokens: number, ms: number): void {
    this.#mover.evaluated();
    if (tokens === 0) return;
    const now = ms / tokens;
    this.#prefillMsPerToken = this.#prefillMsPerToken === 0 ? now : (this.#prefillMsPerToken + now) / 2;
  }

  release(sequence: Sequence): void {
    sequence.busy = false;
    sequence.usedAt = this.#tick;
  }

  /** After an error: nothing that this sequence holds can be trusted. */
  reset(sequence: Sequence): void {
    this.#lose(sequence, 0);
    sequence.forget();
    sequence.busy = false;
    this.#options.device.clear(sequence.index);
    this.#snapshots.forget(sequence);
  }

  /**
   * The run's logits were not finite, and such numbers stay in the sequence's cells, in free ones too, where each later
   * run would read them. Nobody gets the sequence until the memory is wiped.
   */
  condemn(sequence: Sequence): void {
    this.reset(sequence);
    sequence.busy = true;
    this.#condemned.add(sequence);
  }

  /** Empties all sequences where one is condemned; no request may be running. What lies in host memory stays. */
  wipeCondemned(): void {
    if (this.#condemned.size === 0) return;
    this.#condemned.clear();
    for (const sequence of this.sequences) this.reset(sequence);
    this.#options.device.wipe();
  }

  /**
   * A full save is one uninterruptible step. For a request that is alone it must cost less than prefilling what
   * it saves; in the background, and while others run or wait, no more than one chunk, which everybody may have
   * to wait for anyway.
   */
  #mayBlock(start: RunStart, sequence: Sequence, lost: number): boolean {
    if (this.#mover.isPending(sequence)) return false;
    const isAlone = start.alone && start.purpose === "request";
    const ms = isAlone ? lost * this.#prefillMsPerToken : this.#chunkMs();
    return this.#moveMs(sequence) <= ms;
  }

  #chunkMs(): number {
    return this.#options.chunkTokensMax * this.#prefillMsPerToken;
  }

  #moveMs(sequence: Sequence): number {
    return this.#mover.saveMs(this.#mover.size(sequence, "full"));
  }

  /** The keys that this sequence could be resumed at beyond its first `from` chunks are about to go. */
  #lose(sequence: Sequence, from: number): void {
    const { chain, live } = sequence;
    if (chain === null) return;
    // What is not dense was resumable at its live end; its snapshots are told of when they go.
    const first =
      this.#states.memory === "dense" ? from : Math.max(from, live ? chain.length - 1 : chain.length);
    for (let i = first; i < chain.length; i++) {
      const key = chain.plan.keys[i];
      if (key !== undefined) this.#lost.add(key, chain.tenant);
    }
  }

  #dropState(found: Found): void {
    const { store } = this.#states;
    if (found.snapshot !== null) store.drop(found.snapshot);
    if (found.place.kind === "host") store.drop(found.place.save);
  }

  #anySequence(): Sequence {
    const first = this.sequences[0];
    if (first === undefined) throw new Error("the device has no sequence");
    return first;
  }
}
