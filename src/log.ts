/** Log lines: pretty on a terminal, JSON lines elsewhere. Text of messages and keys never come here. */
import { type Logger, pino } from "pino";
import pretty from "pino-pretty";

export type Log = Pick<Logger, "debug" | "info" | "warn" | "error">;

export interface LogOptions {
  readonly level: string;
  readonly format: "auto" | "pretty" | "json";
}

/** In-process streams only: pino's transports look their target up by path, which a compiled binary has not. */
export function createLog({ level, format }: LogOptions): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const usePretty = format === "pretty" || (format === "auto" && process.stdout.isTTY === true);
  if (!usePretty) return pino(options, pino.destination({ dest: 1, sync: true }));
  return pino(
    options,
    pretty({ sync: true, translateTime: "SYS:HH:MM:ss", colorize: process.stdout.isTTY === true }),
  );
}
