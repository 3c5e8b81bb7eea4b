/**
 * One piece of a kept state as a file, byte for byte (`docs/state-files.md`): a head with its own checksum, which says
 * what the payload is the state of, and the payload. What does not read exactly so is damaged. A file is looked at
 * before libllama sees it, because libllama believes what it is given.
 */

/** `rows`: of one chunk. `partial`: what cannot be rolled back, at a cut. Both are named by the key of their cut. */
export type FileKind = "rows" | "partial";

export interface StateHead {
  readonly kind: FileKind;
  /** Hash of whatever decides bits, the whole model file among it. */
  readonly fingerprint: bigint;
  /** SHA-256 of the tenant's name, in hexadecimal digits. */
  readonly tenant: string;
  readonly key: bigint;
  /** Of the piece in front; 0 where there is none. */
  readonly before: bigint;
  /** Tokens in front of `tokens`; the cut lies behind them. */
  readonly from: number;
  /** `rows`: of the chunk. `partial`: of the whole prompt where no rows hold them (recurrent memory), else none. */
  readonly tokens: Int32Array;
  /** A warm run evaluated it. */
  readonly warm: boolean;
  /** End of system prompt and tools. */
  readonly head: boolean;
  readonly payloadBytes: number;
}

const MAGIC = new TextEncoder().encode("wtstate\n");
export const FORMAT_VERSION = 1;
const FIXED_BYTES = 128;
const CHECKED_FROM = 24;
const KINDS: readonly FileKind[] = ["rows", "partial"];
const WARM = 1;
const HEAD = 2;
/** Of a head; a prompt of a million tokens has four. */
export const HEAD_BYTES_MAX = 2 ** 26;

const AT = {
  version: 8,
  headBytes: 12,
  headHash: 16,
  payloadHash: 24,
  payloadBytes: 32,
  fingerprint: 40,
  tenant: 48,
  kind: 80,
  flags: 84,
  key: 88,
  before: 96,
  from: 104,
  tokens: 108,
} as const;

/** Of a whole file. */
export function fileBytes({ tokens, payloadBytes }: StateHead): number {
  return FIXED_BYTES + 4 * tokens.length + payloadBytes;
}

/** Everything in front of the payload. */
export function encodeHead(head: StateHead, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(FIXED_BYTES + 4 * head.tokens.length);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint32(AT.version, FORMAT_VERSION, true);
  view.setUint32(AT.headBytes, bytes.length, true);
  view.setBigUint64(AT.payloadHash, Bun.hash.xxHash3(payload), true);
  view.setBigUint64(AT.payloadBytes, BigInt(payload.length), true);
  view.setBigUint64(AT.fingerprint, head.fingerprint, true);
  bytes.set(Buffer.from(head.tenant, "hex"), AT.tenant);
  view.setUint32(AT.kind, KINDS.indexOf(head.kind), true);
  view.setUint32(AT.flags, (head.warm ? WARM : 0) | (head.head ? HEAD : 0), true);
  view.setBigUint64(AT.key, head.key, true);
  view.setBigUint64(AT.before, head.before, true);
  view.setUint32(AT.from, head.from, true);
  view.setUint32(AT.tokens, head.tokens.length, true);
  for (const [i, token] of head.tokens.entries()) view.setInt32(FIXED_BYTES + 4 * i, token, true);
  view.setBigUint64(AT.headHash, Bun.hash.xxHash3(bytes.subarray(CHECKED_FROM)), true);
  return bytes;
}

/** Bytes of the head that begins so; null where none does. */
export function headBytes(start: Uint8Array): number | null {
  if (start.length < CHECKED_FROM || MAGIC.some((byte, i) => start[i] !== byte)) return null;
  const view = viewOf(start);
  if (view.getUint32(AT.version, true) !== FORMAT_VERSION) return null;
  const size = view.getUint32(AT.headBytes, true);
  return size < FIXED_BYTES || size > HEAD_BYTES_MAX || size % 4 !== 0 ? null : size;
}

/** null where anything about it is wrong. `bytes` begin with the head; what follows is not looked at. */
export function decodeHead(bytes: Uint8Array): StateHead | null {
  const size = headBytes(bytes);
  if (size === null || bytes.length < size) return null;
  const view = viewOf(bytes);
  const hash = view.getBigUint64(AT.headHash, true);
  if (Bun.hash.xxHash3(bytes.subarray(CHECKED_FROM, size)) !== hash) return null;
  const count = view.getUint32(AT.tokens, true);
  const kind = KINDS[view.getUint32(AT.kind, true)];
  const payloadBytes = view.getBigUint64(AT.payloadBytes, true);
  if (kind === undefined || size !== FIXED_BYTES + 4 * count || payloadBytes > Number.MAX_SAFE_INTEGER)
    return null;
  const flags = view.getUint32(AT.flags, true);
  return {
    kind,
    fingerprint: view.getBigUint64(AT.fingerprint, true),
    tenant: Buffer.from(bytes.subarray(AT.tenant, AT.kind)).toString("hex"),
    key: view.getBigUint64(AT.key, true),
    before: view.getBigUint64(AT.before, true),
    from: view.getUint32(AT.from, true),
    tokens: Int32Array.from({ length: count }, (_, i) => view.getInt32(FIXED_BYTES + 4 * i, true)),
    warm: (flags & WARM) !== 0,
    head: (flags & HEAD) !== 0,
    payloadBytes: Number(payloadBytes),
  };
}

/** The payload of a whole file whose head is known, where its checksum agrees. */
export function payloadOf(file: Uint8Array, head: StateHead): Uint8Array | null {
  const size = headBytes(file);
  if (size === null || file.length !== size + head.payloadBytes) return null;
  const payload = file.subarray(size);
  return Bun.hash.xxHash3(payload) === viewOf(file).getBigUint64(AT.payloadHash, true) ? payload : null;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
