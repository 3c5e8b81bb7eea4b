/** The thread of `HealthWatch`. */
import { readFileSync } from "node:fs";

export interface HealthSample {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly ok: boolean;
}

declare const self: Worker;

const PAUSE_MS = 20;

self.onmessage = async ({ data }: MessageEvent<{ readonly url: string; readonly pid: number }>) => {
  const { url, pid } = data;
  for (;;) {
    self.postMessage(await sample(url, pid));
    await Bun.sleep(PAUSE_MS);
  }
};

async function sample(url: string, pid: number): Promise<HealthSample> {
  const started = performance.now();
  const before = cpuMs(pid);
  let ok = false;
  try {
    const response = await fetch(`${url}/health`);
    ok = response.status === 200 && (await response.text()).includes('"ok"');
  } catch {
    // Not an answer.
  }
  return { cpuMs: cpuMs(pid) - before, wallMs: performance.now() - started, ok };
}

/** Of the process's first thread, which is the HTTP thread. */
function cpuMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return 0;
  }
}
