/** The disk tier of an engine: a folder, and the index of what lies in it. */
import { type DiskOptions, DiskStore } from "./DiskStore.ts";
import { StateFolder } from "./StateFolder.ts";

/** Where states are kept on disk. */
export interface DiskTier {
  readonly path: string;
  readonly bytes: number;
  readonly fingerprint: bigint;
  readonly warn: (sentence: string) => void;
}

type Rest = Omit<DiskOptions, "folder" | "fingerprint" | "budgetBytes">;

export function openDiskStore({ path, bytes, fingerprint, warn }: DiskTier, rest: Rest): DiskStore {
  const folder = new StateFolder({ path, fingerprint, warn, now: rest.clock });
  return new DiskStore({ ...rest, folder, fingerprint, budgetBytes: bytes });
}
