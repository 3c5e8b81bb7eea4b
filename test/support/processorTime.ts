/** Milliseconds of processor time that this process has used since: what else the machine does is no part of it. */
export function processorTime(): () => number {
  const started = process.cpuUsage();
  return () => process.cpuUsage(started).user / 1000;
}
