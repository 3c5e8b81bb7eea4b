/** How a start came to what it says in `ready`; stays on the engine's side. For `doctor`. */

import type { SelfTestMemory } from "../proof/RememberedProofs.ts";
import type { ModelShape } from "./modelShape.ts";
import type { MemoryPlan, MemoryRoom } from "./planMemory.ts";

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
