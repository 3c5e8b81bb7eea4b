/** 10,000 damaged state files: none is resumed from, none ends the process. */
import { test } from "bun:test";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { playDamagedFiles } from "../support/damagedFiles.ts";

const TIMES = 2500;

test.each<MemoryKind>(["dense", "hybrid", "recurrent", "window"])(
  "%s",
  (memory) => playDamagedFiles(memory, 7, TIMES),
  1_200_000,
);
