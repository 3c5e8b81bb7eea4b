/**
 * One process at a time works on a repository's files. The lock is the operating system's (through SQLite, which
 * takes one on a file): it ends with its process, however that ends, so that none is ever left behind.
 */
import { Database, SQLiteError } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type ModelName, repoOf } from "./ModelName.ts";

const POLL_MS = 200;

/** @param onWait told once when another process has it. */
export async function lockRepo(
  home: string,
  name: ModelName,
  wait: (ms: number) => Promise<void>,
  onWait: () => void,
): Promise<Disposable> {
  for (let tries = 0; ; tries += 1) {
    const lock = tryLockRepo(home, name);
    if (lock !== null) return lock;
    if (tries === 0) onWait();
    await wait(POLL_MS);
  }
}

/** null where another process has it. The file stays: one that is deleted could be locked twice. */
export function tryLockRepo(home: string, name: ModelName): Disposable | null {
  const folder = join(home, "locks");
  mkdirSync(folder, { recursive: true });
  const database = new Database(join(folder, `${repoOf(name).replace("/", "--").toLowerCase()}.lock`));
  try {
    database.run("BEGIN EXCLUSIVE");
    return { [Symbol.dispose]: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof SQLiteError && error.code === "SQLITE_BUSY") return null;
    throw error;
  }
}
