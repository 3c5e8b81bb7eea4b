/** Damaged state files: a miss, whatever was done to them. `bun run test:long` tries 10,000. */
import { test } from "bun:test";
import type { MemoryKind } from "../../../../src/run/EngineReady.ts";
import { playDamagedFiles } from "../../../support/damagedFiles.ts";

test.each<MemoryKind>(["dense", "hybrid", "recurrent", "window"])(
  "%s",
  (memory) => playDamagedFiles(memory, 1, 50),
  30_000,
);
