/** The signals that mean "stop": Ctrl-C, a service manager's word, and a terminal that closes. */
import { readFileSync } from "node:fs";

export function onStopSignals(stop: (signal: NodeJS.Signals) => void): void {
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  if (!ignoresHangup()) process.on("SIGHUP", stop);
}

/** SIGHUP's bit in the masks of `/proc`. */
const HANGUP_BIT = 1n;

/** Under `nohup` the process has to survive a terminal that closes; a handler for SIGHUP would undo that. */
function ignoresHangup(): boolean {
  try {
    const [, mask] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return (BigInt(`0x${mask ?? "0"}`) & HANGUP_BIT) !== 0n;
  } catch {
    // No such file here. `nohup` leaves no terminal as the output.
    return process.stdout.isTTY !== true;
  }
}
