/** Log lines: pretty on a terminal, JSON elsewhere. They never hold text of messages or API keys. */
import { type Logger, pino } from "pino";
import { prettyFactory } from "pino-pretty";

export type Log = Pick<Logger, "debug" | "info" | "warn" | "error">;

export interface LogOptions {
  readonly level: string;
  readonly format: "auto" | "pretty" | "json";
  /** What stdout shows: a terminal gets pretty lines, one with colours coloured ones. */
  readonly look: { readonly colour: boolean; readonly isTerminal: boolean };
  /** Message → the sentence that a person reads instead of the message and its fields. */
  readonly sentences?: Readonly<Record<string, (fields: never) => string>>;
  /** Where pretty lines go; stdout where absent. */
  readonly write?: (text: string) => void;
}

/** In-process streams only: pino looks a transport up by its path, and a compiled binary has no such path. */
export function createLog(options: LogOptions): Log {
  const { level, format, look, sentences = {}, write = stdoutWriter() } = options;
  const settings = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const usePretty = format === "pretty" || (format === "auto" && look.isTerminal);
  if (!usePretty) return pino(settings, { write });
  const pretty = prettyFactory({ translateTime: "SYS:HH:MM:ss", colorize: look.colour });
  return pino(settings, { write: (line) => write(pretty(forPeople(line, sentences))) });
}

/** A line whose message has a sentence is that sentence, without its fields. */
function forPeople(line: string, sentences: NonNullable<LogOptions["sentences"]>): string {
  const named = Object.keys(sentences).find((message) => line.includes(`"msg":${JSON.stringify(message)}`));
  if (named === undefined) return line;
  const { level, time, ...fields } = JSON.parse(line) as Record<string, unknown>;
  return JSON.stringify({ level, time, msg: sentences[named]?.(fields as never) });
}

export function stdoutWriter(): (text: string) => void {
  return writer(1);
}

export function stderrWriter(): (text: string) => void {
  return writer(2);
}

/** Writes at once, so that nothing is lost when the process ends. */
function writer(descriptor: number): (text: string) => void {
  const destination = pino.destination({ dest: descriptor, sync: true });
  return (text) => {
    destination.write(text);
  };
}
