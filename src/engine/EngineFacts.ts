/** How a start came to what it says in `ready`; stays on the engine's side. For `doctor`. */
import type { MemoryPlan, MemoryRoom } from "./memory.ts";
import type { ModelShape } from "./modelShape.ts";
import type { SelfTestMemory } from "./SelfTestMemory.ts";

export interface EngineFacts {
  readonly shape: ModelShape;
  readonly plan: MemoryPlan;
  readonly layers: number;
  /** What was free before the model was loaded. */
  readonly room: MemoryRoom;
  /** Whether any layers lie on a GPU. */
  readonly useDevice: boolean;
  /** Where results of the self-test are remembered. */
  readonly remembered: Pick<SelfTestMemory, "write">;
}
