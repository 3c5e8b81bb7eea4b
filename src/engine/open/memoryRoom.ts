/** How much memory this machine has left for the model, read before the model is loaded. */
import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import type { MemoryRoom } from "./planMemory.ts";

/** What is asked of a backend's device. */
export interface RoomDevice {
  readonly type: string;
  readonly memoryFree: number;
}

/** macOS gives no figure of what can be had; the system and its caches keep about a quarter. */
const MACOS_SHARE = 0.75;

export function memoryRoom(devices: readonly RoomDevice[], useDevice: boolean): MemoryRoom {
  const gpus = devices.filter((device) => device.type === "gpu" || device.type === "integrated-gpu");
  const deviceBytes = useDevice ? gpus.reduce((sum, device) => sum + device.memoryFree, 0) : 0;
  return {
    hostBytes: hostBytes(),
    deviceBytes,
    unified:
      process.platform === "darwin" ||
      (gpus.length > 0 && gpus.every((one) => one.type === "integrated-gpu")),
  };
}

function hostBytes(): number {
  if (process.platform !== "linux") return totalmem() * MACOS_SHARE;
  const available = /^MemAvailable:\s+(\d+) kB/m.exec(textOf("/proc/meminfo"))?.[1];
  const machine = available === undefined ? totalmem() * MACOS_SHARE : Number(available) * 1024;
  return Math.min(machine, cgroupBytes());
}

/** What a container's limit leaves (cgroup v2); Infinity without one. */
function cgroupBytes(): number {
  const limit = Number(textOf("/sys/fs/cgroup/memory.max"));
  const used = Number(textOf("/sys/fs/cgroup/memory.current"));
  return Number.isFinite(limit) && limit > 0 && Number.isFinite(used)
    ? Math.max(0, limit - used)
    : Number.POSITIVE_INFINITY;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
