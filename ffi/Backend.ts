/**
 * The opened libllama with its backends. Each thread opens its own `Backend`; library, backends and log are
 * the process's, loaded once however many threads open. Never unloaded: `close` only ends this owner.
 */

import { askText, cString } from "./cText.ts";
import { FfiError, unwrap } from "./FfiError.ts";
import { Handle } from "./Handle.ts";
import { type FoundLibrary, findLibrary, type LibrarySearch, nvidiaAdvice } from "./library.ts";
import { openShim } from "./openShim.ts";
import { CODES, type Shim } from "./symbols.ts";

export type DeviceType = "cpu" | "gpu" | "integrated-gpu" | "accelerator" | "meta";
const DEVICE_TYPES: readonly DeviceType[] = ["cpu", "gpu", "integrated-gpu", "accelerator", "meta"];

export interface BackendDevice {
  readonly name: string;
  readonly description: string;
  readonly type: DeviceType;
  /** `CPU`, `CUDA`, `Metal`, … */
  readonly backend: string;
  /** File that the backend was loaded from; for a CPU it names the variant chosen, e.g. `libggml-cpu-zen4.so`. */
  readonly library: string;
  /** Bytes, now. */
  readonly memoryFree: number;
  /** Bytes. */
  readonly memoryTotal: number;
}

export interface BackendOptions extends LibrarySearch {
  /** `WARMTURN_SHIM`: the shim built by a C compiler; else Bun compiles it. */
  readonly shim?: string | undefined;
}

export class Backend extends Handle {
  readonly shim: Shim;
  readonly library: FoundLibrary;
  /** Sentences for the log: what could not be used, and the command that helps. */
  readonly notes: readonly string[];

  private constructor(shim: Shim, library: FoundLibrary, notes: readonly string[]) {
    super("backend", null);
    this.shim = shim;
    this.library = library;
    this.notes = notes;
  }

  /**
   * Options that are absent come from `WARMTURN_LLAMA_LIB` and `WARMTURN_SHIM`.
   * @throws FfiError("library") in one sentence.
   */
  static open(options: BackendOptions = {}): Backend {
    const explicit = options.explicit ?? process.env["WARMTURN_LLAMA_LIB"];
    const prebuilt = options.shim ?? process.env["WARMTURN_SHIM"];
    const notes: string[] = [];
    let last: unknown;
    for (const found of findLibrary({ ...options, explicit })) {
      try {
        const shim = openShim(found.path, prebuilt, found.preload);
        if (shim.wt_backends_load(cString(found.folder)) < 0) {
          throw new FfiError("library", `no ggml backend could be loaded from ${found.folder}`);
        }
        const backend = new Backend(shim, found, notes);
        const gpus = backend.devices().filter((device) => device.type !== "cpu").length;
        const advice = nvidiaAdvice(found, gpus, options.nvidia);
        if (advice) notes.push(advice);
        return backend;
      } catch (error) {
        last = error;
        notes.push(error instanceof Error ? error.message : String(error));
      }
    }
    throw last;
  }

  /** Devices of this process, memory as it is now. */
  devices(): BackendDevice[] {
    this.use();
    const count = unwrap(this.shim.wt_device_count(), "count devices");
    return Array.from({ length: count }, (_, index) => this.#device(index));
  }

  #device(index: number): BackendDevice {
    const text = (which: number) =>
      askText("read a device", (buffer, size) => this.shim.wt_device_text(index, which, buffer, size));
    const memory = new BigInt64Array(2);
    unwrap(this.shim.wt_device_memory(index, memory), "read a device's memory");
    return {
      name: text(CODES.WT_DEVICE_NAME),
      description: text(CODES.WT_DEVICE_DESCRIPTION),
      type: DEVICE_TYPES[unwrap(this.shim.wt_device_type(index), "read a device")] ?? "meta",
      backend: text(CODES.WT_DEVICE_BACKEND),
      library: text(CODES.WT_DEVICE_LIBRARY),
      memoryFree: Number(memory[0]),
      memoryTotal: Number(memory[1]),
    };
  }

  /** Where tensors may be placed by name. */
  bufferTypes(): string[] {
    this.use();
    const count = unwrap(this.shim.wt_device_count(), "count devices");
    const name = (index: number) =>
      askText("read a device", (buffer, size) =>
        this.shim.wt_device_text(index, CODES.WT_DEVICE_BUFFER, buffer, size),
      );
    return Array.from({ length: count }, (_, index) => name(index));
  }

  /** Name of the file of the CPU variant that was chosen, e.g. `libggml-cpu-zen4.so`. */
  cpuVariant(): string {
    const cpu = this.devices().find((device) => device.type === "cpu");
    return cpu?.library.split("/").at(-1) ?? "";
  }

  /** `0.4.0-dev`. */
  version(): string {
    this.use();
    return askText("read the version", (buffer, size) => this.shim.wt_version_text(buffer, size));
  }

  /** The library's own line of what the CPU and the backends can do. */
  systemInfo(): string {
    this.use();
    return askText("read the system", (buffer, size) => this.shim.wt_system_text(buffer, size)).trim();
  }

  protected release(): void {}
}
