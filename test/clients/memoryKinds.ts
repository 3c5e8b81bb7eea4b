/** All kinds of memory that a model may have; the first is played live, the others with what the client sent. */
import type { MemoryKind } from "../../src/run/EngineReady.ts";

export const MEMORY_KINDS: readonly MemoryKind[] = ["hybrid", "dense", "window", "recurrent"];
