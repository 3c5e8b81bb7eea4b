/**
 * A process to be killed: serves one conversation after the other over a fake device, and says on stdout the name of each
 * state file once it counts as kept.
 */
import { argv, stdout } from "node:process";
import type { MemoryKind } from "../../src/run/EngineReady.ts";
import { FINGERPRINT } from "./DiskRig.ts";
import { EngineHarness } from "./EngineHarness.ts";
import { killedPlan } from "./killedPlan.ts";

const [path = "", memory = "dense", from = "0"] = argv.slice(2);
const kind = memory as MemoryKind;
const engine = new EngineHarness({
  memory: kind,
  lanes: 1,
  spares: 0,
  stateRamBytes: 1 << 20,
  partialBytes: 4096,
});
engine.loop.states.openDisk({
  path,
  bytes: 2 ** 28,
  fingerprint: FINGERPRINT,
  warn: (sentence) => stdout.write(sentence),
});
const { disk } = engine.loop.states;
if (disk === null) throw new Error("there is no disk");
const said = new Set<string>();
for (let turn = Number(from); ; turn++) {
  engine.run(killedPlan(kind, turn), { conversation: `${turn}`, turn: 1 });
  do {
    await disk.settled();
    for (const name of disk.names) {
      if (said.has(name)) continue;
      said.add(name);
      stdout.write(`${name}\n`);
    }
  } while (engine.loop.idle());
}
