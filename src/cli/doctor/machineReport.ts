/** The machine and the library on it: read, never tested. */
import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from "node:os";
import type { Backend } from "../../../ffi/Backend.ts";
import { memoryRoom } from "../../engine/open/memoryRoom.ts";
import type { LibraryReport, MachineReport } from "./DoctorReport.ts";

export function machineReport(): MachineReport {
  return {
    platform: `${platform()}-${arch()}`,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    memory_total_bytes: totalmem(),
    memory_free_bytes: memoryRoom([], false).hostBytes,
  };
}

export function libraryReport(backend: Backend): LibraryReport {
  const { path, origin, packageName } = backend.library;
  return {
    version: backend.version(),
    path,
    origin,
    package: packageName === "" ? null : packageName,
    cpu_variant: backend.cpuVariant(),
    cpu_features: cpuFeatures(backend.systemInfo()),
    gpus: backend
      .devices()
      .filter(({ type }) => type !== "cpu")
      .map((device) => ({
        name: device.name,
        description: device.description,
        backend: device.backend,
        memory_total_bytes: device.memoryTotal,
        memory_free_bytes: device.memoryFree,
      })),
  };
}

/** `CPU : AVX2 = 1 | FMA = 1 | …`, behind what other backends say of themselves. */
function cpuFeatures(systemInfo: string): string[] {
  const [, own = ""] = /\bCPU : (.*)$/s.exec(systemInfo) ?? [];
  return [...own.matchAll(/(\w+) = 1\b/g)].map(([, name = ""]) => name);
}
