/** Model files whose beginning is damaged: each is opened as the server opens one, and refused in a sentence or loaded. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "./Random.ts";

export interface HeadsResult {
  readonly opened: number;
  readonly refused: number;
  /** What ended the process that opened it, with the seed of the file. */
  readonly crashes: readonly string[];
}

/** Bytes of the head that are changed; tensors stand behind it. */
const NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff];

export function damagedHead(whole: Buffer, headBytes: number, random: Random): Buffer {
  const bytes = Buffer.from(whole);
  const end = Math.min(headBytes, bytes.length - 8);
  if (random.once(10)) return bytes.subarray(0, random.below(bytes.length));
  for (let times = 1 + random.below(4); times > 0; times -= 1) {
    const at = random.once(3) ? random.below(64) : random.below(end);
    const kind = random.below(4);
    if (kind === 0) bytes[at] = random.below(256);
    else if (kind === 1) bytes.writeUInt32LE(random.pick(NUMBERS), at);
    else if (kind === 2) bytes.writeBigUInt64LE(BigInt(random.pick(NUMBERS)) << BigInt(random.below(32)), at);
    else bytes.copyWithin(at, random.below(end), random.below(end));
  }
  return bytes;
}

/**
 * `count` files in children that open many each; one that dies is started again behind the file that killed it.
 */
export async function openHeads(
  whole: Buffer,
  headBytes: number,
  count: number,
  seed: string,
): Promise<HeadsResult> {
  const folder = mkdtempSync(join(tmpdir(), "warmturn-heads-"));
  const result = { opened: 0, refused: 0, crashes: [] as string[] };
  try {
    let next = 0;
    while (next < count) {
      const until = Math.min(count, next + 100);
      const paths: string[] = [];
      for (let i = next; i < until; i += 1) {
        const path = join(folder, `${i}.gguf`);
        writeFileSync(path, damagedHead(whole, headBytes, new Random(`${seed} ${i}`)));
        paths.push(path);
      }
      const child = Bun.spawn([process.execPath, join(import.meta.dir, "openHead.ts"), ...paths], {
        env: { ...process.env, WARMTURN_HOME: folder },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [stdout, stderr] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      await child.exited;
      const said = stdout.split("\n").filter((line) => line !== "");
      result.opened += said.filter((line) => line === "opened").length;
      result.refused += said.filter((line) => line.startsWith("refused")).length;
      for (const line of said.filter((one) => one.startsWith("odd"))) result.crashes.push(`${next}: ${line}`);
      if (said.length < paths.length) {
        const how = child.signalCode ?? `exit ${child.exitCode}`;
        const why =
          /GGML_ASSERT[^\n]*|terminate called[^\n]*|what\(\)[^\n]*|panic[^\n]*/.exec(stderr)?.[0] ??
          stderr.slice(-200);
        result.crashes.push(`${next + said.length}: ${how}: ${why}`);
      }
      for (const path of paths) rmSync(path);
      next += Math.min(paths.length, said.length + 1);
    }
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
